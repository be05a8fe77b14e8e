import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asPatient, asStaff } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { errorOf, makePatient, ROWAN } from '#dev/testing/scheduling.ts';
import { withProviderTimeout } from '#dev/testing/services.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { getAppointment } from '../appointments/get-appointment.ts';
import { listAppointments } from '../appointments/list-appointments.ts';
import { bookAppointment } from './book-appointment.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import { resolveAppointment } from './resolve-appointment.ts';

let clinic: Booking;
let withoutEmail: string;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { email: 'ada@example.test' });
  withoutEmail = (await makePatient(clinic)).id;
  await clinic.ctx.db.patient.updateMany({ where: { id: withoutEmail }, data: { email: null } });
});
afterAll(() => clinic?.stop());
afterEach(() => clinic.acuity.control('DELETE', 'faults'));

const CANCEL = { method: 'PUT', path: '/api/v1/appointments/:id/cancel' };
const READ = { method: 'GET', path: '/api/v1/appointments/:id' };
const WHY = 'The patient was rude at the desk';

const staff = (): Context => asStaff(clinic.services, clinic.tenant, 'front_desk');
const patient = (): Context => asPatient(clinic.services, clinic.tenant, clinic.patientId);
const appOfPatient = (): Context => asPatient(clinic.services, clinic.tenant, clinic.patientId, newId());
async function booked(patient_id = clinic.patientId) {
  const [slot] = await clinic.free(clinic.nextDay(), ROWAN);
  return bookAppointment(clinic.app(), clinic.wish(slot!.from_date, { calendar_id: ROWAN, patient_id }));
}
const there = ({ provider_appointment_id }: { provider_appointment_id: number | null }) =>
  clinic.acuity.booked().find(({ id }) => id === provider_appointment_id)!;
const stored = (id: string) => clinic.ctx.db.appointment.findFirstOrThrow({ where: { id } });
async function listed(ctx: Context, appointmentId: string) {
  const { items } = await listAppointments(ctx, { status: ['canceled'], size: 100 });
  return items.find(({ id }) => id === appointmentId);
}
/** Cancels without a response of Acuity, so that the outcome is unknown. */
async function cancelWithLostResponse(effect: 'before' | 'after', id: string) {
  await clinic.acuity.fault(`reset_${effect}`, CANCEL);
  await clinic.acuity.fault('503', READ);
  await errorOf(cancelAppointment(withProviderTimeout(staff()), { id, reason: WHY, tell_patient: false }));
  await clinic.acuity.control('DELETE', 'faults');
}
const resolve = (appointmentId: string) => {
  const later = { ...clinic.services, clock: { now: () => new Date(Date.now() + 120_000) } };
  return resolveAppointment(later, { tenantId: clinic.tenant.id, appointmentId });
};

const UNTOLD = { cancel_reason: WHY, cancel_reason_told: false };
const TOLD = { cancel_reason: WHY, cancel_reason_told: true };
const NOTHING = { cancel_reason: null, cancel_reason_told: null };

describe('a reason that the patient is not told', () => {
  test('is returned to staff and applications, not to the patient or an application that acts for them', async () => {
    const { id } = await booked();
    expect(await cancelAppointment(staff(), { id, reason: WHY, tell_patient: false })).toMatchObject(UNTOLD);
    for (const [ctx, expected] of [
      [staff(), UNTOLD],
      [clinic.app(), UNTOLD],
      [patient(), NOTHING],
      [appOfPatient(), NOTHING],
    ] as const) {
      expect(await getAppointment(ctx, { id })).toMatchObject({ status: 'canceled', ...expected });
      expect(await listed(ctx, id)).toMatchObject(expected);
      // The response to a repeated cancellation.
      expect(await cancelAppointment(ctx, { id, reason: 'Another', tell_patient: true })).toMatchObject(expected);
    }
    const events = await clinic.ctx.db.event.findMany({ where: { objectId: id } });
    expect(JSON.stringify(events, (_, value) => (typeof value === 'bigint' ? null : value))).not.toMatch(
      /cancel_reason|rude/,
    );
  });

  test('may be read by default, by rows of the previous release, and when the patient gave it', async () => {
    const [byDefault, ofBefore, own] = [await booked(), await booked(), await booked()];
    await cancelAppointment(clinic.app(), { id: byDefault.id, reason: WHY });
    await cancelAppointment(staff(), { id: ofBefore.id, reason: WHY });
    await clinic.ctx.db.appointment.updateMany({ where: { id: ofBefore.id }, data: { cancelReasonTold: null } });
    await cancelAppointment(patient(), { id: own.id, reason: WHY, tell_patient: false });
    for (const { id } of [byDefault, ofBefore, own])
      for (const ctx of [staff(), clinic.app(), patient(), appOfPatient()])
        expect(await getAppointment(ctx, { id })).toMatchObject(TOLD);
  });

  test('leaves no flag without a reason', async () => {
    const { id } = await booked();
    expect(await cancelAppointment(staff(), { id, tell_patient: false })).toMatchObject(NOTHING);
    expect(await stored(id)).toMatchObject({ cancelReason: null, cancelReasonTold: null });
  });
});

describe('the note at Acuity', () => {
  test.each([
    { tell_patient: true, mails: true, note: WHY },
    { tell_patient: true, mails: false, note: WHY },
    { tell_patient: false, mails: true, note: '' },
    { tell_patient: false, mails: false, note: WHY },
  ])('is “$note” with tell_patient $tell_patient where Acuity emails the patient: $mails', async (each) => {
    const appointment = await booked(each.mails ? clinic.patientId : withoutEmail);
    await cancelAppointment(staff(), { id: appointment.id, reason: WHY, tell_patient: each.tell_patient });
    expect(there(appointment)).toMatchObject({ canceled: true, cancelNote: each.note });
    const mailed = clinic.acuity
      .emails()
      .some((mail) => mail.kind === 'canceled' && mail.appointmentID === appointment.provider_appointment_id);
    expect(mailed).toBe(each.mails);
    expect(await getAppointment(staff(), { id: appointment.id })).toMatchObject({ cancel_reason: WHY });
  });
});

describe('after a lost response', () => {
  test.each(['before', 'after'] as const)('a retry without a reason keeps reason and flag (%s)', async (effect) => {
    const appointment = await booked();
    const { id } = appointment;
    await cancelWithLostResponse(effect, id);
    expect(await stored(id)).toMatchObject({ status: 'scheduled', cancelReasonTold: false });
    expect(await getAppointment(staff(), { id })).toMatchObject({ status: 'scheduled', ...NOTHING });
    // Also a retry by the patient, whose default is to tell.
    expect(await cancelAppointment(patient(), { id })).toMatchObject({ status: 'canceled', ...NOTHING });
    expect(await getAppointment(staff(), { id })).toMatchObject(UNTOLD);
    expect(there(appointment).cancelNote).toBe('');
  });

  test('a retry with a reason replaces both', async () => {
    const appointment = await booked();
    const { id } = appointment;
    await cancelWithLostResponse('before', id);
    const again = { cancel_reason: 'The practitioner is ill', cancel_reason_told: true };
    expect(await cancelAppointment(staff(), { id, reason: again.cancel_reason, tell_patient: true })).toMatchObject(
      again,
    );
    expect(await getAppointment(patient(), { id })).toMatchObject(again);
    expect(there(appointment).cancelNote).toBe(again.cancel_reason);
  });

  test('a retry without a reason that says not to tell it takes that over', async () => {
    const appointment = await booked();
    const { id } = appointment;
    await clinic.acuity.fault('reset_before', CANCEL);
    await clinic.acuity.fault('503', READ);
    await errorOf(cancelAppointment(staff(), { id, reason: WHY, tell_patient: true }));
    expect(await cancelAppointment(staff(), { id, tell_patient: false })).toMatchObject(UNTOLD);
    expect(await getAppointment(patient(), { id })).toMatchObject(NOTHING);
    expect(there(appointment).cancelNote).toBe('');
  });

  test('the job keeps both when the cancellation happened', async () => {
    const { id } = await booked();
    await cancelWithLostResponse('after', id);
    await resolve(id);
    expect(await getAppointment(staff(), { id })).toMatchObject({ status: 'canceled', ...UNTOLD });
    expect(await getAppointment(patient(), { id })).toMatchObject({ status: 'canceled', ...NOTHING });
  });

  test('the job deletes both when it did not happen', async () => {
    const { id } = await booked();
    await cancelWithLostResponse('before', id);
    await resolve(id);
    expect(await stored(id)).toMatchObject({ status: 'scheduled', cancelReason: null, cancelReasonTold: null });
    await cancelAppointment(staff(), { id, reason: WHY });
    expect(await getAppointment(patient(), { id })).toMatchObject(TOLD);
  });
});

test('a reason of an appointment that is gone at Acuity keeps its flag', async () => {
  const appointment = await booked();
  const books = clinic.acuity.booked();
  books.splice(books.indexOf(there(appointment)), 1);
  const { id } = appointment;
  expect(await cancelAppointment(staff(), { id, reason: WHY, tell_patient: false })).toMatchObject(UNTOLD);
  expect(await getAppointment(patient(), { id })).toMatchObject({ status: 'canceled', ...NOTHING });
});
