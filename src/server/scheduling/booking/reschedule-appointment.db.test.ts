import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asPatient } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { claimsOf, errorOf, FOLLOW_UP, LONG_APPOINTMENT, makePatient, ROWAN } from '#dev/testing/scheduling.ts';
import { bookAppointment } from './book-appointment.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';

let clinic: Booking;
let onDay: string;
let times: string[];
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
});
afterAll(() => clinic.stop());
beforeEach(async () => {
  onDay = clinic.nextDay();
  times = await offered();
});

const offered = async (type = FOLLOW_UP) => (await clinic.free(onDay, ROWAN, type)).map(({ from_date }) => from_date);
const book = (from_date: string, appointment_type_id = FOLLOW_UP) =>
  bookAppointment(clinic.app(), clinic.wish(from_date, { appointment_type_id, calendar_id: ROWAN }));

describe('rescheduling an appointment', () => {
  test('keeps id, calendar and link, holds the new slot and frees the old one', async () => {
    const booked = await book(times[0]!);
    const moved = await rescheduleAppointment(clinic.app(), { id: booked.id, from_date: times[4]! });
    const { id, calendar_id, video_call_url, location, provider_appointment_id, created_at } = booked;
    expect(moved).toMatchObject({ id, calendar_id, video_call_url, location, provider_appointment_id, created_at });
    expect(moved.from_date).toBe(times[4]);
    expect(await claimsOf(clinic.ctx, id)).toMatchObject([{ startAt: new Date(times[4]!) }]);
    const now = await offered();
    expect(now).toContain(times[0]);
    expect(now).not.toContain(times[4]);
    expect(clinic.acuity.booked().find((one) => one.id === provider_appointment_id)!.startAt).toBe(
      Date.parse(times[4]!),
    );
    const events = await clinic.ctx.db.event.findMany({ where: { objectId: id }, orderBy: { position: 'asc' } });
    expect(events.map(({ eventTopic }) => eventTopic)).toEqual(['scheduled', 'rescheduled']);
    const { cancel_reason: _, cancel_reason_told: __, scheduling_issue: ___, ...eventPayload } = moved;
    expect(events[1]!.payload).toEqual(eventPayload);
  });

  test('to its current slot changes nothing', async () => {
    const booked = await book(times[0]!);
    expect(await rescheduleAppointment(clinic.app(), { id: booked.id, from_date: times[0]! })).toEqual(booked);
  });

  test('may overlap its own old slot', async () => {
    const [start] = await offered(LONG_APPOINTMENT);
    const booked = await book(start!, LONG_APPOINTMENT);
    const overlapping = new Date(Date.parse(start!) + 30 * 60_000).toISOString();
    const moved = await rescheduleAppointment(clinic.app(), { id: booked.id, from_date: overlapping });
    expect(Date.parse(moved.from_date)).toBe(Date.parse(overlapping));
    expect(await claimsOf(clinic.ctx, booked.id)).toHaveLength(1);
  });
});

describe('rescheduling fails', () => {
  test('to a slot that another appointment holds, and the old slot stays claimed', async () => {
    const [appointment] = [await book(times[0]!), await book(times[2]!)];
    const error = await errorOf(rescheduleAppointment(clinic.app(), { id: appointment.id, from_date: times[2]! }));
    expect(error.code).toBe('slot_taken');
    expect(await claimsOf(clinic.ctx, appointment.id)).toMatchObject([{ startAt: new Date(times[0]!) }]);
  });

  test("to a slot that was blocked in Acuity's console", async () => {
    const appointment = await book(times[0]!);
    await clinic.acuity.console('POST', '/blocks', {
      start: times[2],
      end: new Date(Date.parse(times[2]!) + 30 * 60_000).toISOString(),
      calendarID: ROWAN,
      notes: '',
    });
    const error = await errorOf(rescheduleAppointment(clinic.app(), { id: appointment.id, from_date: times[2]! }));
    expect(error.code).toBe('slot_taken');
    expect(await claimsOf(clinic.ctx, appointment.id)).toMatchObject([{ startAt: new Date(times[0]!) }]);
    expect(await offered()).not.toContain(times[2]);
  });

  test('to a time that no calendar offers', async () => {
    const appointment = await book(times[0]!);
    const odd = new Date(Date.parse(times[0]!) + 7 * 60_000).toISOString();
    for (const from_date of [odd, '2020-01-01T10:00:00Z'])
      expect((await errorOf(rescheduleAppointment(clinic.app(), { id: appointment.id, from_date }))).code).toBe(
        'slot_not_offered',
      );
  });

  test("for a canceled, a started and another patient's appointment", async () => {
    const canceled = await book(times[0]!);
    await cancelAppointment(clinic.app(), { id: canceled.id });
    const past = await book(times[1]!);
    await clinic.ctx.db.appointment.update({ where: { id: past.id }, data: { startAt: new Date(Date.now() - 1000) } });
    for (const { id } of [canceled, past])
      expect((await errorOf(rescheduleAppointment(clinic.app(), { id, from_date: times[4]! }))).code).toBe(
        'not_reschedulable',
      );
    const appointment = await book(times[2]!);
    const anotherPatient = asPatient(clinic.services, clinic.tenant, (await makePatient(clinic)).id);
    const move = rescheduleAppointment(anotherPatient, { id: appointment.id, from_date: times[4]! });
    expect((await errorOf(move)).code).toBe('not_found');
    expect((await errorOf(cancelAppointment(anotherPatient, { id: appointment.id }))).code).toBe('not_found');
  });

  test("against Acuity's own rules", async () => {
    const appointment = await book(times[0]!);
    const limits = (change: object) =>
      clinic.acuity.control('PATCH', `accounts/${clinic.acuity.account.user_id}`, { limits: change });
    await limits({ clientsMayReschedule: false });
    const never = await errorOf(rescheduleAppointment(clinic.app(), { id: appointment.id, from_date: times[4]! }));
    await limits({ clientsMayReschedule: true, minHoursToChange: 10_000 });
    const late = await errorOf(rescheduleAppointment(clinic.app(), { id: appointment.id, from_date: times[4]! }));
    await limits({ minHoursToChange: 0 });
    expect([never.code, late.code]).toEqual(['not_reschedulable', 'too_late']);
    expect(await claimsOf(clinic.ctx, appointment.id)).toHaveLength(1);
  });
});
