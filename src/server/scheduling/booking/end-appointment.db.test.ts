import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { errorOf, makePatient, ROWAN } from '#dev/testing/scheduling.ts';
import { withProviderTimeout } from '#dev/testing/services.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { getAppointment } from '../appointments/get-appointment.ts';
import { listAppointments } from '../appointments/list-appointments.ts';
import { syncAppointment } from '../sync/sync-appointment.ts';
import { bookAppointment } from './book-appointment.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import { markNoShow } from './mark-appointment.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';
import { resolveAppointment } from './resolve-appointment.ts';

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { email: 'ada@example.test' });
});
afterAll(() => clinic.stop());
afterEach(() => clinic.acuity.control('DELETE', 'faults'));

const CANCEL = { method: 'PUT', path: '/api/v1/appointments/:id/cancel' };
const READ = { method: 'GET', path: '/api/v1/appointments/:id' };
const WHY = 'Dr. Rowan has a sprained ankle';

/** Without `PROVE`, a reset connection stands for most lost responses, since a timeout takes longer. */
const LOST = process.env.PROVE ? 'timeout' : 'reset';
const LOST_CODE = process.env.PROVE ? 'provider_timeout' : 'provider_unavailable';

const nurse = (): Context => asPractitioner(clinic.services, clinic.tenant);
/** Context with a short provider timeout, for the call whose response is lost. */
const impatientNurse = (): Context => withProviderTimeout(nurse());
const withReason = (id: string) => ({ id, reason: WHY });
/** An appointment on a separate day, and another slot of that day. */
async function booked(ctx: Context = clinic.app()) {
  const slots = await clinic.free(clinic.nextDay(), ROWAN);
  const appointment = await bookAppointment(ctx, clinic.wish(slots[0]!.from_date, { calendar_id: ROWAN }));
  return { ...appointment, another: slots[4]!.from_date };
}
type Booked = Awaited<ReturnType<typeof booked>>;
/** The same caller after the appointment has started or ended. */
const at = (ctx: Context, instant: string, minutes = 0): Context => ({
  ...ctx,
  clock: { now: () => new Date(Date.parse(instant) + minutes * 60_000) },
});
const later = () => ({ ...clinic.services, clock: { now: () => new Date(Date.now() + 120_000) } });
const resolve = (appointmentId: string) => resolveAppointment(later(), { tenantId: clinic.tenant.id, appointmentId });
const there = ({ provider_appointment_id }: Booked) =>
  clinic.acuity.booked().find(({ id }) => id === provider_appointment_id)!;
const eventsOf = (objectId: string) =>
  clinic.ctx.db.event.findMany({ where: { objectId }, orderBy: { position: 'asc' } });

describe('an appointment canceled with a reason', () => {
  test('returns the reason to every caller who may read the appointment, and sends it to Acuity as the note', async () => {
    const appointment = await booked();
    expect(appointment.cancel_reason).toBeNull();
    expect(await cancelAppointment(nurse(), withReason(appointment.id))).toMatchObject({
      status: 'canceled',
      cancel_reason: WHY,
    });
    expect(there(appointment).cancelNote).toBe(WHY);
    const patient = asPatient(clinic.services, clinic.tenant, clinic.patientId);
    expect(await getAppointment(patient, { id: appointment.id })).toMatchObject({ cancel_reason: WHY });
    const listed = await listAppointments(nurse(), { status: ['canceled'] });
    expect(listed.items.find(({ id }) => id === appointment.id)).toMatchObject({ cancel_reason: WHY });
  });

  test('writes the reason to no event and no audit entry, and stores it encrypted', async () => {
    const appointment = await booked();
    await cancelAppointment(nurse(), withReason(appointment.id));
    const events = await eventsOf(appointment.id);
    expect(events.map(({ eventTopic }) => eventTopic)).toEqual(['scheduled', 'canceled']);
    expect(events.every(({ payload }) => !('cancel_reason' in (payload as object)))).toBe(true);
    const entries = await clinic.ctx.db.auditEntry.findMany({ where: { objectId: appointment.id } });
    const row = await clinic.ctx.db.appointment.findFirstOrThrow({ where: { id: appointment.id } });
    const sealed = Buffer.from(row.cancelReason!).toString('latin1');
    const recorded = [...events.map(({ payload }) => payload), ...entries.map(({ details }) => details)];
    expect(JSON.stringify(recorded) + sealed).not.toContain('ankle');
  });

  test('keeps the first reason when it is canceled again', async () => {
    const appointment = await booked();
    const first = await cancelAppointment(nurse(), withReason(appointment.id));
    expect(await cancelAppointment(nurse(), { id: appointment.id, reason: 'Another' })).toEqual(first);
    expect(await cancelAppointment(nurse(), { id: appointment.id })).toEqual(first);
  });

  test.each(['before', 'after'] as const)(
    'with an unknown outcome, returns the reason once the outcome is known (lost %s)',
    async (effect) => {
      const appointment = await booked();
      await clinic.acuity.fault(`${LOST}_${effect}`, CANCEL);
      await clinic.acuity.fault('503', READ);
      expect((await errorOf(cancelAppointment(impatientNurse(), withReason(appointment.id)))).code).toBe(LOST_CODE);
      expect(await getAppointment(nurse(), { id: appointment.id })).toMatchObject({
        status: 'scheduled',
        cancel_reason: null,
      });
      // A retry without a reason uses the first one.
      expect(await cancelAppointment(nurse(), { id: appointment.id })).toMatchObject({ cancel_reason: WHY });
      expect(there(appointment).cancelNote).toBe(WHY);
    },
  );

  test('deletes the reason when the cancellation did not happen', async () => {
    const appointment = await booked();
    await clinic.acuity.fault(`${LOST}_before`, CANCEL);
    await clinic.acuity.fault('503', READ);
    await errorOf(cancelAppointment(impatientNurse(), withReason(appointment.id)));
    await resolve(appointment.id);
    const row = await clinic.ctx.db.appointment.findFirstOrThrow({ where: { id: appointment.id } });
    expect(row).toMatchObject({ status: 'scheduled', cancelReason: null, pendingChange: null });
    expect(await cancelAppointment(nurse(), { id: appointment.id })).toMatchObject({ cancel_reason: null });
  });
});

describe('the author of a change', () => {
  const system = (): Context => ({ ...clinic.ctx });
  const authors = async (id: string) =>
    (await eventsOf(id)).map(({ eventTopic, authorType }) => [eventTopic, authorType]);

  test("is the caller when Acuity's webhook arrives before its response", async () => {
    const { getAcuityAccount } = await import('#server/integrations/scheduling-account.ts');
    const account = await getAcuityAccount(clinic.ctx);
    const appointment = await booked(nurse());
    for (const [act, fault] of [
      [() => rescheduleAppointment(nurse(), { id: appointment.id, from_date: appointment.another }), '/reschedule'],
      [() => cancelAppointment(nurse(), withReason(appointment.id)), '/cancel'],
    ] as const) {
      await clinic.acuity.fault('slow_drip', { method: 'PUT', path: `/api/v1/appointments/:id${fault}` });
      const events = (await eventsOf(appointment.id)).length;
      const done = act();
      const isDone = () =>
        fault === '/cancel'
          ? there(appointment).canceled
          : there(appointment).startAt === Date.parse(appointment.another);
      await expect.poll(isDone).toBe(true);
      await syncAppointment(system(), account, appointment.provider_appointment_id!);
      expect(await eventsOf(appointment.id)).toHaveLength(events + 1);
      await done;
    }
    expect(await authors(appointment.id)).toEqual([
      ['scheduled', 'Practitioner'],
      ['rescheduled', 'Practitioner'],
      ['canceled', 'Practitioner'],
    ]);
  });

  test('is the caller when the job resolves the outcome later', async () => {
    const slots = await clinic.free(clinic.nextDay(), ROWAN);
    await clinic.acuity.fault('timeout_after', { method: 'POST', path: '/api/v1/appointments' });
    await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/appointments' });
    const wish = clinic.wish(slots[0]!.from_date, { calendar_id: ROWAN });
    await errorOf(bookAppointment(impatientNurse(), wish));
    const { id } = await clinic.ctx.db.appointment.findFirstOrThrow({ where: { status: 'pending' } });
    await resolve(id);
    await clinic.acuity.fault(`${LOST}_after`, CANCEL);
    await clinic.acuity.fault('503', READ);
    await errorOf(cancelAppointment(impatientNurse(), { id }));
    await resolve(id);
    expect(await authors(id)).toEqual([
      ['scheduled', 'Practitioner'],
      ['canceled', 'Practitioner'],
    ]);
  });

  test('is the system when the change was made in Acuity', async () => {
    const { getAcuityAccount } = await import('#server/integrations/scheduling-account.ts');
    const account = await getAcuityAccount(clinic.ctx);
    const appointment = await booked(nurse());
    await clinic.acuity.console('PUT', `/appointments/${appointment.provider_appointment_id}/cancel?admin=true`, {});
    await syncAppointment(system(), account, appointment.provider_appointment_id!);
    expect(await authors(appointment.id)).toEqual([
      ['scheduled', 'Practitioner'],
      ['canceled', 'System'],
    ]);
  });
});

describe('invalid requests', () => {
  test('an appointment that is over cannot be canceled, one that has started cannot be rescheduled, and the error says what to do', async () => {
    const appointment = await booked();
    const over = await errorOf(cancelAppointment(at(nurse(), appointment.to_date), { id: appointment.id }));
    expect(over.code).toBe('too_late');
    const begun = rescheduleAppointment(at(nurse(), appointment.from_date), {
      id: appointment.id,
      from_date: appointment.another,
    });
    expect((await errorOf(begun)).code).toBe('not_reschedulable');
    // While it is in progress it can still be canceled.
    expect(await cancelAppointment(at(nurse(), appointment.from_date, 1), { id: appointment.id })).toMatchObject({
      status: 'canceled',
    });
    const canceled = rescheduleAppointment(nurse(), { id: appointment.id, from_date: appointment.another });
    expect(await errorOf(canceled)).toMatchObject({
      code: 'not_reschedulable',
      people: expect.stringContaining('Book another'),
    });
    const missed = await booked();
    await markNoShow(at(nurse(), missed.from_date, 1), { id: missed.id });
    const move = rescheduleAppointment(nurse(), { id: missed.id, from_date: missed.another });
    expect(await errorOf(move)).toMatchObject({
      code: 'not_reschedulable',
      people: expect.stringContaining('did not come'),
    });
  });

  test('appointments of other patients and other tenants return not_found', async () => {
    const appointment = await booked();
    const other = asPatient(clinic.services, clinic.tenant, (await makePatient(clinic)).id);
    const otherTenant = asPractitioner(clinic.services, await makeTenant(clinic.services));
    for (const ctx of [other, otherTenant]) {
      expect((await errorOf(cancelAppointment(ctx, withReason(appointment.id)))).code).toBe('not_found');
      const move = rescheduleAppointment(ctx, { id: appointment.id, from_date: appointment.another });
      expect((await errorOf(move)).code).toBe('not_found');
      expect((await errorOf(getAppointment(ctx, { id: appointment.id }))).code).toBe('not_found');
    }
    expect((await errorOf(cancelAppointment(nurse(), { id: newId() }))).code).toBe('not_found');
    expect(there(appointment)).toMatchObject({ canceled: false, startAt: Date.parse(appointment.from_date) });
  });
});
