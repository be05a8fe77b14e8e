import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asApplication, asPatient, makeTenant } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import {
  ALDER,
  claimsOf,
  dayAhead,
  errorOf,
  FOLLOW_UP,
  JUNIPER,
  LOCATION_FIELD,
  LONG_APPOINTMENT,
  makePatient,
  ROWAN,
} from '#dev/testing/scheduling.ts';
import { runAcuityCheck } from '#server/integrations/check-integration.ts';
import { invalidateCatalogue } from '#server/integrations/scheduling-account.ts';
import { getAppointment } from '../appointments/get-appointment.ts';
import { listAppointmentTypes } from '../catalogue/list-appointment-types.ts';
import { bookAppointment } from './book-appointment.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
});
afterAll(() => clinic.stop());

describe('booking an offered slot', () => {
  test('creates an appointment locally and at Acuity, with its own video link in the Location form', async () => {
    const [slot] = await clinic.free(dayAhead(3), ROWAN);
    const view = await bookAppointment(
      clinic.app(),
      clinic.wish(slot!.from_date, { calendar_id: ROWAN, metadata: { from: 'test' } }),
    );
    expect(view).toMatchObject({
      patient_id: clinic.patientId,
      calendar_id: ROWAN,
      calendar: 'Rowan Example',
      from_date: slot!.from_date,
      to_date: slot!.to_date,
      duration_minutes: 30,
      time_zone: 'America/New_York',
      status: 'scheduled',
      metadata: { from: 'test' },
      attendees: [{ id: clinic.patientId, type: 'Patient' }],
    });
    expect(view.location).toBe(view.video_call_url);
    const there = clinic.acuity.booked().find(({ id }) => id === view.provider_appointment_id)!;
    expect(there.answers.map(({ value }) => value)).toEqual([view.video_call_url]);
    expect(there).toMatchObject({ firstName: 'Ada', lastName: 'Example', email: `${clinic.patientId}@example.test` });
    expect(await claimsOf(clinic.ctx, view.id)).toHaveLength(1);
    expect(await getAppointment(asPatient(clinic.services, clinic.tenant, clinic.patientId), { id: view.id })).toEqual(
      view,
    );
    const { cancel_reason: _, cancel_reason_told: __, scheduling_issue: ___, ...payloadFields } = view;
    const events = await clinic.ctx.db.event.findMany({ where: { objectId: view.id } });
    expect(events.map(({ eventType, eventTopic, payload }) => ({ eventType, eventTopic, payload }))).toEqual([
      { eventType: 'appointment', eventTopic: 'scheduled', payload: payloadFields },
    ]);
    expect((await clinic.free(dayAhead(3), ROWAN)).map((s) => s.from_date)).not.toContain(slot!.from_date);
  });

  test('accepts any ISO 8601 spelling of the instant', async () => {
    const [slot] = await clinic.free(dayAhead(3), ALDER);
    const view = await bookAppointment(
      clinic.app(),
      clinic.wish(new Date(slot!.from_date).toISOString(), { calendar_id: ALDER }),
    );
    expect(view.from_date).toBe(slot!.from_date);
    expect(view.from_date).toMatch(/-0[56]:00$/);
  });

  test('sends no email when the patient has no address', async () => {
    const { id } = await makePatient(clinic, { email: null });
    const [slot] = await clinic.free(dayAhead(4), ROWAN);
    const mails = clinic.acuity.emails().length;
    const view = await bookAppointment(clinic.app(), {
      ...clinic.wish(slot!.from_date, { calendar_id: ROWAN }),
      patient_id: id,
    });
    const there = clinic.acuity.booked().find((one) => one.id === view.provider_appointment_id)!;
    expect(there.email).toBe(`patient-${id}@example.invalid`);
    expect(clinic.acuity.emails()).toHaveLength(mails);
  });

  test('without a calendar, falls back to a calendar that is free', async () => {
    const all = await clinic.free(dayAhead(5));
    const shared = all.find((slot) => all.filter((one) => one.from_date === slot.from_date).length === 2)!;
    const rest = all.filter((one) => Date.parse(one.from_date) === Date.parse(shared.from_date));
    // A patient cannot have overlapping appointments, so each one is for another patient.
    const bookOne = async () =>
      bookAppointment(clinic.app(), { ...clinic.wish(shared.from_date), patient_id: (await makePatient(clinic)).id });
    const calendarIds: number[] = [];
    for (const _ of rest) calendarIds.push((await bookOne()).calendar_id);
    expect(calendarIds.sort()).toEqual(rest.map(({ calendar_id }) => calendar_id).sort());
    expect((await errorOf(bookOne())).code).toBe('slot_taken');
  });

  test('returns slot_taken with the nearest free slots when the slot is already booked', async () => {
    const slots = await clinic.free(dayAhead(6), ROWAN);
    await bookAppointment(clinic.app(), clinic.wish(slots[4]!.from_date, { calendar_id: ROWAN }));
    const error = await errorOf(
      bookAppointment(clinic.app(), clinic.wish(slots[4]!.from_date, { calendar_id: ROWAN })),
    );
    expect(error.code).toBe('slot_taken');
    const alternatives = (error.meta as { alternatives: { from_date: string }[] }).alternatives;
    expect(alternatives.map(({ from_date }) => from_date)).toEqual(
      [slots[3]!, slots[5]!, slots[2]!].map(({ from_date }) => from_date),
    );
  });

  test('names each alternative time once, with one of the calendars that are free then', async () => {
    const all = await clinic.free(dayAhead(8));
    const calendarsAt = (at: number) =>
      all.filter(({ from_date }) => Date.parse(from_date) === at).map(({ calendar_id }) => calendar_id);
    const times = [...new Set(all.map(({ from_date }) => Date.parse(from_date)))];
    // Its neighbors are offered by several calendars.
    const index = times.findIndex(
      (_, n) => n > 0 && [n - 1, n, n + 1].every((near) => calendarsAt(times[near]!).length > 1),
    );
    const wanted = new Date(times[index]!).toISOString();
    for (const _ of calendarsAt(times[index]!))
      await bookAppointment(clinic.app(), { ...clinic.wish(wanted), patient_id: (await makePatient(clinic)).id });
    const { code, meta } = await errorOf(bookAppointment(clinic.app(), clinic.wish(wanted)));
    expect(code).toBe('slot_taken');
    const { alternatives } = meta as { alternatives: { from_date: string; calendar_id: number; calendar: string }[] };
    const starts = alternatives.map(({ from_date }) => Date.parse(from_date));
    expect(new Set(starts).size).toBe(3);
    const free = await clinic.free(dayAhead(8));
    for (const { from_date, calendar_id, calendar } of alternatives)
      expect(free).toContainEqual(expect.objectContaining({ from_date, calendar_id, calendar }));
  });

  test('removes slots in the padding around the appointment at once', async () => {
    const before = await clinic.free(dayAhead(7), ROWAN, LONG_APPOINTMENT);
    const slot = before[4]!;
    await bookAppointment(clinic.app(), { ...clinic.wish(slot.from_date), appointment_type_id: LONG_APPOINTMENT });
    const after = (await clinic.free(dayAhead(7), ROWAN)).map(({ from_date }) => Date.parse(from_date));
    const end = Date.parse(slot.to_date);
    expect(after).not.toContain(end);
    expect(after).toContain(end + 30 * 60_000);
    for (const start of after)
      await expect(
        clinic.acuity.console('POST', '/availability/check-times', {
          datetime: new Date(start).toISOString(),
          appointmentTypeID: FOLLOW_UP,
          calendarID: ROWAN,
        }),
      ).resolves.toMatchObject({ valid: true });
  });
});

describe('booking fails', () => {
  test('with slot_not_offered for a time that no calendar offers', async () => {
    const [slot] = await clinic.free(dayAhead(8), ROWAN);
    const odd = new Date(Date.parse(slot!.from_date) + 7 * 60_000).toISOString();
    for (const from_date of [
      odd,
      '2020-01-01T10:00:00Z',
      '9999-12-31T23:59:59Z',
      slot!.from_date.replace(':00-', ':30-'),
    ])
      expect((await errorOf(bookAppointment(clinic.app(), clinic.wish(from_date, { calendar_id: ROWAN })))).code).toBe(
        'slot_not_offered',
      );
  });

  test('with invalid_parameter for unknown types and calendars and for a calendar that does not offer the type', async () => {
    const at = `${dayAhead(8)}T15:00:00Z`;
    const bookError = (more: object) => errorOf(bookAppointment(clinic.app(), clinic.wish(at, more)));
    expect(await bookError({ appointment_type_id: 999 })).toMatchObject({
      code: 'invalid_parameter',
      source: { pointer: '/appointment_type_id' },
    });
    expect(await bookError({ calendar_id: 999 })).toMatchObject({ source: { pointer: '/calendar_id' } });
    expect((await bookError({ appointment_type_id: LONG_APPOINTMENT, calendar_id: ALDER })).detail).toContain(
      'Long visit',
    );
  });

  test('for another patient, an archived patient and without the scope', async () => {
    const at = `${dayAhead(8)}T15:00:00Z`;
    const other = await makePatient(clinic);
    const as = asPatient(clinic.services, clinic.tenant, other.id);
    expect((await errorOf(bookAppointment(as, clinic.wish(at)))).code).toBe('not_found');
    const archived = await makePatient(clinic, { status: 'archived' });
    expect((await errorOf(bookAppointment(clinic.app(), { ...clinic.wish(at), patient_id: archived.id }))).code).toBe(
      'patient_archived',
    );
    const reader = asApplication(clinic.services, clinic.tenant, ['appointments:read']);
    expect((await errorOf(bookAppointment(reader, clinic.wish(at)))).code).toBe('forbidden');
  });

  test('without an Acuity connection', async () => {
    const tenant = await makeTenant(clinic.services);
    const { id } = await makePatient({ services: clinic.services, tenant });
    const booking = bookAppointment(asApplication(clinic.services, tenant), {
      ...clinic.wish(`${dayAhead(8)}T15:00:00Z`),
      patient_id: id,
    });
    expect((await errorOf(booking)).code).toBe('integration_not_connected');
  });

  test('when the type lacks the Location form, before any slot is claimed', async () => {
    const nameQuestion = (name: string) =>
      clinic.acuity.control('PATCH', `accounts/${clinic.acuity.account.user_id}`, {
        forms: [{ id: 31, name: 'Location', hidden: true, fields: [{ id: LOCATION_FIELD, name }] }],
      });
    const laterBy = (seconds: number) => ({
      ...clinic.app(),
      clock: { now: () => new Date(Date.now() + seconds * 1000) },
    });
    const [slot] = await clinic.free(dayAhead(9), JUNIPER);
    await nameQuestion('Where');
    const claims = await clinic.ctx.db.slotClaim.count();
    const error = await errorOf(bookAppointment(laterBy(61), clinic.wish(slot!.from_date)));
    expect(error.code).toBe('integration_misconfigured');
    expect(error.detail).toContain('"Follow-up visit"');
    expect(await clinic.ctx.db.slotClaim.count()).toBe(claims);
    // A queued check updates the Integrations page: badge and finding together.
    const integration = () => clinic.ctx.db.integration.findFirstOrThrow({ where: { provider: 'acuity' } });
    expect(await integration()).toMatchObject({ status: 'connected' });
    const key = `check_acuity:${clinic.tenant.id}`;
    const queued = await clinic.ctx.db.$queryRaw<{ wait: number }[]>`
      select extract(epoch from run_at - now())::float8 as wait from graphile_worker._private_jobs where key = ${key}`;
    expect(queued).toHaveLength(1);
    expect(queued[0]!.wait).toBeLessThanOrEqual(61);
    await runAcuityCheck(clinic.services, { tenantId: clinic.tenant.id });
    expect(await integration()).toMatchObject({
      status: 'degraded',
      findings: expect.arrayContaining([
        expect.objectContaining({ code: expect.stringMatching(/^location_question/) }),
      ]),
    });
    await nameQuestion('Location');
    await bookAppointment(laterBy(125), clinic.wish(slot!.from_date));
  });
});

test('a canceled slot is offered again at once, and canceling twice returns the same response', async () => {
  const [slot] = await clinic.free(dayAhead(10), ROWAN);
  const { id } = await bookAppointment(clinic.app(), clinic.wish(slot!.from_date, { calendar_id: ROWAN }));
  const once = await cancelAppointment(clinic.app(), { id });
  expect(once).toMatchObject({ id, status: 'canceled', canceled_at: expect.any(String) });
  expect(await cancelAppointment(clinic.app(), { id })).toEqual(once);
  expect(await claimsOf(clinic.ctx, id)).toEqual([]);
  expect((await clinic.free(dayAhead(10), ROWAN))[0]).toEqual(slot);
  await bookAppointment(clinic.app(), clinic.wish(slot!.from_date, { calendar_id: ROWAN }));
});

test('booking, rescheduling and canceling do not queue behind Acuity reads, even when its settings have to be read', async () => {
  const { scheduling } = clinic.services.providers;
  const [first, second] = await clinic.free(dayAhead(11), ROWAN);
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  let running = 0;
  const read = () => {
    running += 1;
    return held;
  };
  const reads = Array.from({ length: 20 }, () => scheduling.run(read, { party: 'other' }));
  await expect.poll(() => running).toBe(8);
  const ageSettings = () => {
    clinic.services.catalogues.delete(clinic.tenant.id);
    return clinic.ctx.db.providerSnapshot.updateMany({ data: { fetchedAt: new Date(Date.now() - 61_000) } });
  };
  await ageSettings();
  const list = listAppointmentTypes(clinic.app(), {});
  try {
    // Acuity made the booking, but its response was lost.
    await clinic.acuity.fault('reset_after', { method: 'POST', path: '/api/v1/appointments' });
    const { id } = await bookAppointment(clinic.app(), clinic.wish(first!.from_date, { calendar_id: ROWAN }));
    await ageSettings();
    await rescheduleAppointment(clinic.app(), { id, from_date: second!.from_date });
    await ageSettings();
    expect(await cancelAppointment(clinic.app(), { id })).toMatchObject({ status: 'canceled' });
  } finally {
    end();
    await Promise.all([list, ...reads]);
  }
});

test('without a calendar and with many unknown days, checks the slot at Acuity with one call', async () => {
  const [first] = clinic.acuity.calendars();
  const more = Array.from({ length: 20 }, (_, index) => ({ ...first!, id: 800 + index, name: `Room ${index}` }));
  clinic.acuity.calendars().push(...more);
  clinic.acuity.types()[0]!.calendarIDs.push(...more.map(({ id }) => id));
  await invalidateCatalogue(clinic.ctx);
  const day = dayAhead(12);
  const [slot] = await clinic.free(day, 800);
  await clinic.ctx.db.availabilityDay.deleteMany({});
  await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/availability/*' }, 100);
  const booked = await bookAppointment(clinic.app(), clinic.wish(slot!.from_date));
  expect(booked.from_date).toBe(slot!.from_date);
  const odd = slot!.from_date.replace(':00-', ':07-');
  expect((await errorOf(bookAppointment(clinic.app(), clinic.wish(odd)))).code).toBe('slot_not_offered');
  await clinic.acuity.control('DELETE', 'faults');
  // After all calendars are listed, an admin blocks the slot in each of them.
  const [other] = await clinic.free(dayAhead(13));
  await clinic.ctx.db.availabilityDay.updateMany({ data: { staleAt: new Date(Date.now() + 1_000) } });
  for (const { id } of clinic.acuity.calendars())
    await clinic.acuity.console('POST', '/blocks', {
      ...{ start: `${dayAhead(13)}T00:00:00Z`, end: `${dayAhead(14)}T12:00:00Z`, calendarID: id, notes: '' },
    });
  await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/availability/*' }, 100);
  expect((await errorOf(bookAppointment(clinic.app(), clinic.wish(other!.from_date)))).code).toBe('slot_taken');
  await clinic.acuity.control('DELETE', 'faults');
});
