import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asApplication, asPatient } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import {
  ALDER,
  dayAhead,
  errorOf,
  FOLLOW_UP,
  JUNIPER,
  LONG_APPOINTMENT,
  makePatient,
  ROWAN,
} from '#dev/testing/scheduling.ts';
import { addDays, toMinute } from '#server/core/zone.ts';
import { getAcuityAccount } from '#server/integrations/scheduling-account.ts';
import { bookAppointment } from '../booking/book-appointment.ts';
import { rescheduleAppointment } from '../booking/reschedule-appointment.ts';
import { syncAppointment } from '../sync/sync-appointment.ts';
import { explainAvailability } from './explain-availability.ts';
import { listAvailability } from './list-availability.ts';
import { findRescheduled, startsWithout } from './rescheduled-appointment.ts';

const NEW_YORK = {
  ...{ id: ROWAN, name: 'Rowan Example', timeZone: 'America/New_York' },
  ...{ emails: [], practitionerId: null, typeIds: [] },
};

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
});
afterAll(() => clinic.stop());
// A failed test leaves none to the next.
afterEach(() => clinic.acuity.control('DELETE', 'faults'));

const explain = (from_date: string, more: object = {}) =>
  explainAvailability(clinic.app(), { appointment_type_id: FOLLOW_UP, calendar_id: ROWAN, from_date, ...more });
const reasonOf = async (from_date: string, more: object = {}) => {
  const [explanation, ...others] = await explain(from_date, more);
  expect(others).toEqual([]);
  return explanation!;
};
/** An instant of a day at a local time of the calendar, with the offset of that day. */
const at = async (day: string, time: string) => {
  const [slot] = await clinic.free(day, ROWAN);
  return `${day}T${time}:00${slot!.from_date.slice(19)}`;
};

describe('explainAvailability', () => {
  test('returns no reason for a slot that is offered', async () => {
    const [slot] = await clinic.free(clinic.nextDay(), ROWAN);
    expect(await reasonOf(slot!.from_date)).toMatchObject({ offered: true, reason: null, told_by: 'provider' });
  });

  test.each([
    ['past', () => '2020-01-01T10:00:00Z', 'us'],
    ['notice', () => new Date(Date.now() + 20 * 60_000).toISOString().slice(0, 17).concat('00Z'), 'provider'],
    ['too_far_ahead', () => `${dayAhead(90)}T15:00:00Z`, 'provider'],
    ['too_far_ahead', () => '2099-01-01T15:00:00Z', 'conclusion'],
    ['outside_hours', () => `${dayAhead(9)}T08:00:00Z`, 'conclusion'],
  ])('returns the reason %s', async (reason, time, told_by) => {
    expect(await reasonOf(time())).toMatchObject({ offered: false, reason, told_by });
  });

  test('returns no_start for a start that the provider does not have, with the nearest ones', async () => {
    const day = clinic.nextDay();
    const explanation = await reasonOf(await at(day, '10:10'));
    expect(explanation).toMatchObject({ reason: 'no_start', told_by: 'conclusion' });
    expect(explanation.sentence).toContain('10:00 and 10:30');
    const half = (await at(day, '10:00')).replace('10:00:00', '10:00:30');
    expect(await reasonOf(half)).toMatchObject({ reason: 'no_start' });
  });

  test('returns block for time off', async () => {
    const day = clinic.nextDay();
    const from = await at(day, '13:00');
    await clinic.acuity.console('POST', '/blocks', {
      start: from,
      end: await at(day, '14:00'),
      calendarID: ROWAN,
      notes: '',
    });
    await clinic.ctx.db.availabilityDay.deleteMany({});
    expect(await reasonOf(from)).toMatchObject({ reason: 'block', told_by: 'provider' });
    expect(await reasonOf(from)).toMatchObject({ sentence: 'Rowan Example has time off then.' });
  });

  test('returns block for recurring time off that started weeks ago', async () => {
    const day = clinic.nextDay();
    const from = await at(day, '13:00');
    const [start, end] = ['13:00', '14:00'].map((time) => `${addDays(day, -14)}T${time}`);
    const { id } = await clinic.acuity.console('POST', '/blocks', { start, end, calendarID: ROWAN, notes: 'Lunch' });
    Object.assign(clinic.acuity.blocks().find((block) => block.id === id)!, { recurring: 'weekly', until: day });
    await clinic.ctx.db.availabilityDay.deleteMany({});
    expect(await reasonOf(from)).toMatchObject({ reason: 'block', told_by: 'provider' });
  });

  test('returns booked for a local appointment; a patient learns only that the slot is taken', async () => {
    const [slot] = await clinic.free(clinic.nextDay(), ROWAN);
    await bookAppointment(clinic.app(), clinic.wish(slot!.from_date, { calendar_id: ROWAN }));
    expect(await reasonOf(slot!.from_date)).toMatchObject({ reason: 'booked', told_by: 'us' });
    const patient = asPatient(clinic.services, clinic.tenant, clinic.patientId);
    const explained = await explainAvailability(patient, {
      appointment_type_id: FOLLOW_UP,
      calendar_id: ROWAN,
      from_date: slot!.from_date,
    });
    expect(explained).toMatchObject([{ reason: 'booked', sentence: 'This time is taken.' }]);
  });

  test('returns held for a booking with an unknown outcome; a patient gets booked', async () => {
    const [slot] = await clinic.free(clinic.nextDay(), ROWAN);
    await clinic.acuity.fault('timeout_before', { method: 'POST', path: '/api/v1/appointments' });
    await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/appointments' });
    await errorOf(bookAppointment(clinic.app(), clinic.wish(slot!.from_date, { calendar_id: ROWAN })));
    expect(await reasonOf(slot!.from_date)).toMatchObject({ reason: 'held', told_by: 'us' });
    const patient = asPatient(clinic.services, clinic.tenant, clinic.patientId);
    const [explained] = await explainAvailability(patient, {
      appointment_type_id: FOLLOW_UP,
      calendar_id: ROWAN,
      from_date: slot!.from_date,
    });
    expect(explained!.reason).toBe('booked');
  });

  test('returns booked for a booking made at Acuity', async () => {
    const [slot] = await clinic.free(clinic.nextDay(), ROWAN);
    await clinic.acuity.console('POST', '/appointments', {
      datetime: slot!.from_date,
      appointmentTypeID: FOLLOW_UP,
      calendarID: ROWAN,
      firstName: 'Con',
      lastName: 'Sole',
      email: 'console@example.test',
    });
    await clinic.ctx.db.availabilityDay.deleteMany({});
    expect(await reasonOf(slot!.from_date)).toMatchObject({ reason: 'booked', told_by: 'provider' });
  });

  test('returns booked for the padding of an unmatched booking', async () => {
    const day = clinic.nextDay();
    const after = await at(day, '11:00');
    const booking = await clinic.acuity.console('POST', '/appointments?admin=true', {
      ...{ datetime: await at(day, '10:00'), appointmentTypeID: LONG_APPOINTMENT, calendarID: ROWAN },
      ...{ firstName: 'Con', lastName: 'Sole', email: 'console@example.test' },
    });
    await syncAppointment(clinic.ctx, await getAcuityAccount(clinic.ctx), booking.id);
    expect(await reasonOf(after)).toMatchObject({ reason: 'booked', told_by: 'us' });
  });

  test('ignores the appointment to be rescheduled, as the list does', async () => {
    const day = clinic.nextDay();
    const time = await at(day, '10:30');
    const long = { appointment_type_id: LONG_APPOINTMENT, calendar_id: ROWAN };
    const appointment = await bookAppointment(clinic.app(), clinic.wish(await at(day, '10:00'), long));
    const list = async (more: object, ctx = clinic.app()) => {
      const { items } = await listAvailability(ctx, { ...long, from_date: day, to_date: day, ...more });
      return items.map(({ from_date }) => from_date);
    };
    const own = { appointment_id: appointment.id };
    expect(await reasonOf(time, long)).toMatchObject({ reason: 'booked' });
    expect(await list({})).not.toContain(time);
    expect(await reasonOf(time, { ...long, ...own })).toMatchObject({ offered: true, reason: null });
    expect(await list(own)).toContain(time);
    await clinic.ctx.db.availabilityDay.deleteMany({});
    expect(await list({})).not.toContain(time);
    expect(await list(own)).toContain(time);
    // Concurrent requests share a call: exactly one succeeds.
    const rescheduled = await findRescheduled(clinic.app(), appointment.id, [NEW_YORK]);
    const READS = { method: 'GET', path: '/api/v1/availability/*' };
    await clinic.acuity.control('POST', 'faults', { kind: 'slow_drip', match: READS, times: 1, holdMs: 1 });
    await clinic.acuity.fault('503', READS, 100);
    const calls = Array.from({ length: 5 }, () => startsWithout(clinic.app(), rescheduled!, LONG_APPOINTMENT));
    const minute = toMinute(new Date(time));
    for (const starts of await Promise.all(calls)) expect(starts).toContain(minute);
    await clinic.acuity.control('DELETE', 'faults');
    const other = asPatient(clinic.services, clinic.tenant, (await makePatient(clinic)).id);
    expect((await errorOf(list(own, other))).code).toBe('invalid_parameter');
    expect(await rescheduleAppointment(clinic.app(), { id: appointment.id, from_date: time })).toMatchObject({
      from_date: time,
    });
  });

  test('returns list_is_old when the stored list is outdated, and no reason for a day that was never listed', async () => {
    const day = clinic.nextDay();
    const [from, until] = [await at(day, '15:00'), await at(day, '16:00')];
    const block = { start: from, end: until, calendarID: ROWAN, notes: '' };
    const { id } = await clinic.acuity.console('POST', '/blocks', block);
    await clinic.ctx.db.availabilityDay.deleteMany({});
    await clinic.free(day, ROWAN);
    await clinic.acuity.console('DELETE', `/blocks/${id}`).catch(() => {});
    expect(await reasonOf(from)).toMatchObject({ offered: false, reason: 'list_is_old', told_by: 'provider' });
    // The list loaded after that is current.
    expect((await clinic.free(day, ROWAN)).map(({ from_date }) => from_date)).toContain(from);
    await clinic.ctx.db.availabilityDay.deleteMany({});
    expect(await reasonOf(from)).toMatchObject({ offered: true, reason: null, told_by: 'provider' });
  });

  test('finds the reason for each calendar when none is named', async () => {
    const [slot] = await clinic.free(clinic.nextDay(), ROWAN);
    const datetime = slot!.from_date;
    const who = { firstName: 'Con', lastName: 'Sole', email: 'console@example.test' };
    await clinic.acuity.console('POST', '/appointments', {
      datetime,
      appointmentTypeID: FOLLOW_UP,
      calendarID: ROWAN,
      ...who,
    });
    await clinic.ctx.db.availabilityDay.deleteMany({});
    const reasons = (explanations: { calendar_id: number; reason: string | null }[]) =>
      Object.fromEntries(explanations.map(({ calendar_id, reason }) => [calendar_id, reason]));
    const allCalendars = { calendar_id: undefined };
    // 9:00 in New York is 8:00 in Chicago, before working hours.
    expect(reasons(await explain(datetime, allCalendars))).toEqual({
      [ROWAN]: 'booked',
      [ALDER]: 'outside_hours',
      [JUNIPER]: null,
    });
    const odd = datetime.replace(':00:00', ':10:00').replace('T09', 'T13');
    expect(reasons(await explain(odd, allCalendars))).toEqual({
      [ROWAN]: 'no_start',
      [ALDER]: 'no_start',
      [JUNIPER]: 'no_start',
    });
    await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/availability/times' }, 9);
    expect(new Set((await explain(odd, allCalendars)).map(({ reason }) => reason))).toEqual(new Set(['unknown']));
  });

  test('returns type_not_offered when the calendar does not offer the type', async () => {
    const time = `${dayAhead(5)}T15:00:00Z`;
    const explanation = await reasonOf(time, { appointment_type_id: LONG_APPOINTMENT, calendar_id: ALDER });
    expect(explanation).toMatchObject({ reason: 'type_not_offered', told_by: 'us' });
  });

  test('covers every calendar that offers the type, unless one is named', async () => {
    const explanations = await explain(`${dayAhead(9)}T08:00:00Z`, { calendar_id: undefined });
    expect(explanations.map(({ calendar_id }) => calendar_id)).toEqual([ROWAN, ALDER, JUNIPER]);
    expect(explanations.map(({ offered }) => offered)).toEqual([false, false, false]);
  });

  test('rejects unknown ids and callers without the scope', async () => {
    const time = `${dayAhead(5)}T15:00:00Z`;
    expect(await errorOf(explain(time, { calendar_id: 999 }))).toMatchObject({ code: 'invalid_parameter' });
    expect(await errorOf(explain(time, { appointment_type_id: 999 }))).toMatchObject({ code: 'invalid_parameter' });
    const none = asApplication(clinic.services, clinic.tenant, ['patients:read']);
    const forbidden = explainAvailability(none, {
      appointment_type_id: FOLLOW_UP,
      calendar_id: ROWAN,
      from_date: time,
    });
    expect((await errorOf(forbidden)).code).toBe('forbidden');
  });

  test.each([
    ['503', 'provider_unavailable'],
    ['wrong_schema', 'provider_error'],
    ['timeout_before', 'provider_timeout'],
  ])('returns an error rather than a guess when Acuity returns %s', async (kind, code) => {
    await clinic.acuity.fault(kind, { method: 'POST', path: '/api/v1/availability/check-times' });
    const error = await errorOf(explain(`${dayAhead(9)}T08:00:00Z`));
    expect(error.code === code || error.code === 'provider_unavailable').toBe(true);
  });
});
