import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ALDER, claimsOf, errorOf, LONG_APPOINTMENT, makePatient, ROWAN } from '#dev/testing/scheduling.ts';
import { withProviderTimeout } from '#dev/testing/services.ts';
import type { Context } from '#server/core/context.ts';
import { getAppointment } from '../appointments/get-appointment.ts';
import { bookAppointment } from './book-appointment.ts';
import { checkInAppointment } from './mark-appointment.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';
import { resolveAppointment } from './resolve-appointment.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }));
});
afterAll(() => clinic.stop());
afterEach(() => clinic.acuity.control('DELETE', 'faults'));

const RESCHEDULE = { method: 'PUT', path: '/api/v1/appointments/:id/reschedule' };
const READ = { method: 'GET', path: '/api/v1/appointments/:id' };

const nurse = (): Context => asPractitioner(clinic.services, clinic.tenant);
const instantsOf = async (day: string, calendar: number) =>
  (await clinic.free(day, calendar)).map(({ from_date }) => Date.parse(from_date));
/** An appointment with one practitioner, and two times of that day at which another is free, the first at its time. */
async function booked() {
  const day = clinic.nextDay();
  const [here, there] = [await instantsOf(day, ROWAN), await instantsOf(day, ALDER)];
  const [same, other] = here.filter((at) => there.includes(at)).map((at) => new Date(at).toISOString());
  const appointment = await bookAppointment(clinic.app(), clinic.wish(same!, { calendar_id: ROWAN }));
  return { ...appointment, day, same: same!, other: other! };
}
type Booked = Awaited<ReturnType<typeof booked>>;
const move = (ctx: Context, { id }: Booked, from_date: string, calendar_id?: number) =>
  rescheduleAppointment(ctx, { id, from_date, ...(calendar_id && { calendar_id }) });
const there = ({ provider_appointment_id }: Booked) =>
  clinic.acuity.booked().find(({ id }) => id === provider_appointment_id)!;
const slotsOf = async (id: string) =>
  (await claimsOf(clinic.ctx, id)).map(({ calendarId, startAt }) => [calendarId, startAt.toISOString()]).sort();

test.each(['same', 'other'] as const)('staff move it to another calendar, at the %s time', async (time) => {
  const appointment = await booked();
  const { id, video_call_url, location, provider_appointment_id } = appointment;
  const moved = await move(nurse(), appointment, appointment[time], ALDER);
  expect(moved).toMatchObject({ id, video_call_url, location, provider_appointment_id, calendar_id: ALDER });
  expect(Date.parse(moved.from_date)).toBe(Date.parse(appointment[time]));
  expect(moved.calendar).not.toBe(appointment.calendar);
  expect(there(appointment)).toMatchObject({ calendarId: ALDER, startAt: Date.parse(appointment[time]) });
  expect(await slotsOf(id)).toEqual([[ALDER, appointment[time]]]);
  expect(await instantsOf(appointment.day, ROWAN)).toContain(Date.parse(appointment.same));
  expect(await instantsOf(appointment.day, ALDER)).not.toContain(Date.parse(appointment[time]));
  const events = await clinic.ctx.db.event.findMany({ where: { objectId: id }, orderBy: { position: 'asc' } });
  expect(events.map(({ eventTopic }) => eventTopic)).toEqual(['scheduled', 'rescheduled']);
  expect(events[1]!.payload).toMatchObject({ calendar_id: ALDER, calendar: moved.calendar });
  // A retry returns the same, and back again is possible.
  expect(await move(nurse(), appointment, appointment[time], ALDER)).toEqual(moved);
  expect(await move(nurse(), appointment, appointment.same, ROWAN)).toMatchObject({ calendar_id: ROWAN });
});

test('a patient who has checked in is still there when only the practitioner changes', async () => {
  const appointment = await booked();
  const clock = { now: () => new Date(Date.parse(appointment.same) - 10 * 60_000) };
  await checkInAppointment({ ...nurse(), clock }, { id: appointment.id });
  expect(await move(nurse(), appointment, appointment.same, ALDER)).toMatchObject({
    checked_in_at: expect.any(String),
  });
});

test('patients and applications move within the calendar only', async () => {
  const appointment = await booked();
  const patient = asPatient(clinic.services, clinic.tenant, clinic.patientId);
  for (const ctx of [patient, clinic.app()])
    expect(await errorOf(move(ctx, appointment, appointment.other, ALDER))).toMatchObject({
      code: 'forbidden',
      source: { pointer: '/calendar_id' },
    });
  expect(await move(clinic.app(), appointment, appointment.other, ROWAN)).toMatchObject({ calendar_id: ROWAN });
});

test('a slot that another appointment of that calendar holds is taken, and nothing changes', async () => {
  const appointment = await booked();
  const patient_id = (await makePatient(clinic)).id;
  await bookAppointment(clinic.app(), clinic.wish(appointment.other, { calendar_id: ALDER, patient_id }));
  const error = await errorOf(move(nurse(), appointment, appointment.other, ALDER));
  expect(error.code).toBe('slot_taken');
  expect(await slotsOf(appointment.id)).toEqual([[ROWAN, appointment.same]]);
});

test('a calendar that does not offer the type, or does not exist, is an invalid parameter', async () => {
  const [slot, next] = await clinic.free(clinic.nextDay(), ROWAN, LONG_APPOINTMENT);
  const wish = clinic.wish(slot!.from_date, { appointment_type_id: LONG_APPOINTMENT, calendar_id: ROWAN });
  const { id } = await bookAppointment(clinic.app(), wish);
  for (const calendar_id of [ALDER, 999_999]) {
    const error = await errorOf(rescheduleAppointment(nurse(), { id, from_date: next!.from_date, calendar_id }));
    expect(error).toMatchObject({ code: 'invalid_parameter', source: { pointer: '/calendar_id' } });
  }
});

test.each(['before', 'after'] as const)(
  'with an unknown outcome both slots are held, and a retry completes it (lost %s)',
  async (effect) => {
    const appointment = await booked();
    await clinic.acuity.fault(`reset_${effect}`, RESCHEDULE);
    await clinic.acuity.fault('503', READ);
    const lost = await errorOf(move(withProviderTimeout(nurse()), appointment, appointment.same, ALDER));
    expect(lost).toMatchObject({ meta: expect.objectContaining({ outcome: 'unknown' }) });
    expect(await slotsOf(appointment.id)).toEqual([
      [ROWAN, appointment.same],
      [ALDER, appointment.same],
    ]);
    // Not to the other calendar's time in the own one.
    expect((await errorOf(move(nurse(), appointment, appointment.other))).code).toBe('conflict');
    expect(await move(nurse(), appointment, appointment.same, ALDER)).toMatchObject({ calendar_id: ALDER });
    expect(await slotsOf(appointment.id)).toEqual([[ALDER, appointment.same]]);
  },
);

test.each(['before', 'after'] as const)('the job resolves an unknown outcome (lost %s)', async (effect) => {
  const appointment = await booked();
  const { id } = appointment;
  await clinic.acuity.fault(`reset_${effect}`, RESCHEDULE);
  await clinic.acuity.fault('503', READ);
  await errorOf(move(withProviderTimeout(nurse()), appointment, appointment.same, ALDER));
  const later = { ...clinic.services, clock: { now: () => new Date(Date.now() + 120_000) } };
  await resolveAppointment(later, { tenantId: clinic.tenant.id, appointmentId: id });
  const calendar_id = effect === 'after' ? ALDER : ROWAN;
  expect(await getAppointment(nurse(), { id })).toMatchObject({ calendar_id });
  expect(await slotsOf(id)).toEqual([[calendar_id, appointment.same]]);
  const row = await clinic.ctx.db.appointment.findFirstOrThrow({ where: { id } });
  expect(row.pendingChange).toBeNull();
  const events = await clinic.ctx.db.event.findMany({ where: { objectId: id, eventTopic: 'rescheduled' } });
  expect(events.map(({ authorType }) => authorType)).toEqual(effect === 'after' ? ['Practitioner'] : []);
});

test('of two appointments that are moved to one slot, one gets it', async () => {
  const [first, second] = [await booked(), await booked()];
  const target = first.other;
  const outcomes = await Promise.all(
    [first, second].map((one) =>
      move(nurse(), one, target, ALDER).then(
        () => 'moved',
        (error) => error.cause?.code ?? error.code ?? String(error),
      ),
    ),
  );
  expect(outcomes.filter((one) => one === 'moved')).toHaveLength(1);
  const claims = await clinic.ctx.db.slotClaim.findMany({ where: { calendarId: ALDER, startAt: new Date(target) } });
  expect(claims).toHaveLength(1);
});
