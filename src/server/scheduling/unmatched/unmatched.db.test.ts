import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asApplication, asPractitioner, asStaff } from '#dev/testing/actors.ts';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { compareFor } from '#dev/testing/reconciling.ts';
import { claimsOf, errorOf, FOLLOW_UP, makePatient, ROWAN } from '#dev/testing/scheduling.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { getAcuityAccount } from '#server/integrations/scheduling-account.ts';
import { getAppointment } from '../appointments/get-appointment.ts';
import { bookAppointment } from '../booking/book-appointment.ts';
import { cancelAppointment } from '../booking/cancel-appointment.ts';
import { rescheduleAppointment } from '../booking/reschedule-appointment.ts';
import { syncAppointment } from '../sync/sync-appointment.ts';
import { attachUnmatched, createPatientOfUnmatched } from './attach-unmatched.ts';
import { ignoreUnmatched, restoreUnmatched } from './ignore-unmatched.ts';
import { listUnmatched } from './list-unmatched.ts';

let clinic: Booking;
let admin: Context;
let times: string[];
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { email: 'ada@example.test' });
  admin = asAdmin(clinic.services, clinic.tenant);
  const days = [await clinic.free(clinic.nextDay(), ROWAN), await clinic.free(clinic.nextDay(), ROWAN)];
  times = days.flat().map(({ from_date }) => from_date);
});
afterAll(() => clinic?.stop());

const sync = async (id: number) => syncAppointment(clinic.ctx, await getAcuityAccount(clinic.ctx), id);
/** Books an appointment in Acuity's console for an unknown person and syncs it. */
async function makeUnmatched(more: object = {}): Promise<{ id: string; providerId: number; time: string }> {
  const time = times.shift()!;
  const booking = await clinic.acuity.console('POST', '/appointments?admin=true', {
    ...{ datetime: time, appointmentTypeID: FOLLOW_UP, calendarID: ROWAN },
    ...{ firstName: 'Robin', lastName: 'Example', email: `${newId()}@example.test`, phone: '+1 202 555 0123', ...more },
  });
  await sync(booking.id);
  const row = await clinic.ctx.db.unmatchedAppointment.findFirstOrThrow({
    where: { providerAppointmentId: booking.id },
  });
  return { id: row.id, providerId: booking.id, time };
}
const listed = async (ignored = false) =>
  (await listUnmatched(admin, { size: 1000, ignored })).items.map(({ id }) => id);
const claims = (unmatchedId: string) => clinic.ctx.db.slotClaim.findMany({ where: { unmatchedId } });
const book = (from_date: string) => bookAppointment(clinic.app(), clinic.wish(from_date, { calendar_id: ROWAN }));

describe('an unmatched booking', () => {
  test("is listed with the person's data, holds its slot, and cannot be canceled or rescheduled locally", async () => {
    const { id, providerId, time } = await makeUnmatched({ email: 'robin@example.test' });
    const one = (await listUnmatched(admin, {})).items.find((item) => item.id === id);
    expect(one).toMatchObject({
      ...{ patient_id: null, provider_appointment_id: providerId, from_date: time, calendar: 'Rowan Example' },
      ...{ first_name: 'Robin', last_name: 'Example', email: 'robin@example.test', proposed_patient_ids: [] },
    });
    expect((await errorOf(cancelAppointment(admin, { id }))).code).toBe('not_found');
    expect((await errorOf(rescheduleAppointment(admin, { id, from_date: times[0]! }))).code).toBe('not_found');
    expect(await claims(id)).toMatchObject([{ startAt: new Date(time), appointmentId: null }]);
    expect((await errorOf(book(time))).code).toBe('slot_taken');
    // The event contains the id and no personal data.
    const event = await clinic.ctx.db.event.findFirstOrThrow({ where: { objectId: String(providerId) } });
    expect(event.payload).toMatchObject({ id });
    expect(JSON.stringify(event.payload)).not.toMatch(/Robin|example\.test/);
  });

  test('follows a reschedule and a cancellation at Acuity', async () => {
    const { id, providerId } = await makeUnmatched();
    const to = times.shift()!;
    await clinic.acuity.console('PUT', `/appointments/${providerId}/reschedule?admin=true`, { datetime: to });
    await sync(providerId);
    expect(await claims(id)).toMatchObject([{ startAt: new Date(to) }]);
    await clinic.acuity.console('PUT', `/appointments/${providerId}/cancel?admin=true`, {});
    await sync(providerId);
    expect(await claims(id)).toEqual([]);
    expect(await listed()).not.toContain(id);
    expect((await errorOf(attachUnmatched(admin, { id, patient_id: clinic.patientId }))).code).toBe('conflict');
  });

  test('is proposed to a patient with its address, and never attached automatically', async () => {
    const email = `${newId()}@example.test`;
    const { id, providerId } = await makeUnmatched({ email });
    const { id: patientId } = await makePatient(clinic, { email });
    await sync(providerId);
    const one = (await listUnmatched(admin, { size: 1000 })).items.find((item) => item.id === id);
    expect(one!.proposed_patient_ids).toEqual([patientId]);
    expect(await clinic.ctx.db.appointment.count({ where: { providerAppointmentId: providerId } })).toBe(0);
  });

  test('that overlaps an appointment has no claim, and gets one when the slot is free', async () => {
    const time = times.shift()!;
    const local = await book(time);
    times.unshift(time);
    const { id } = await makeUnmatched();
    expect(await claims(id)).toEqual([]);
    expect(await claimsOf(clinic.ctx, local.id)).toHaveLength(1);
    await cancelAppointment(clinic.app(), { id: local.id });
    await compareFor(clinic.services, clinic.tenant.id, { from: new Date() });
    expect(await claims(id)).toHaveLength(1);
  });
});

describe('attaching', () => {
  test("turns it into the patient's appointment under the same id, once", async () => {
    const { id, providerId, time } = await makeUnmatched();
    const input = { id, patient_id: clinic.patientId };
    const view = await attachUnmatched(admin, input);
    expect(view).toMatchObject({ ...input, status: 'scheduled', from_date: time, provider_appointment_id: providerId });
    expect(await attachUnmatched(admin, input)).toEqual(view);
    const other = await makePatient(clinic);
    expect((await errorOf(attachUnmatched(admin, { id, patient_id: other.id }))).code).toBe('conflict');
    // Creating a patient from it fails too, because it was attached to another patient.
    expect((await errorOf(createPatientOfUnmatched(admin, { id }))).code).toBe('conflict');
    expect(await listed()).not.toContain(id);
    expect(await clinic.ctx.db.unmatchedAppointment.count({ where: { id } })).toBe(0);
    expect(await claimsOf(clinic.ctx, id)).toHaveLength(1);
    const events = await clinic.ctx.db.event.findMany({ where: { objectId: id } });
    expect(events).toMatchObject([{ eventTopic: 'scheduled', authorType: 'Admin', patientId: clinic.patientId }]);
    // Acuity gets the link, and later changes apply to the appointment.
    await sync(providerId);
    const there = clinic.acuity.booked().find((one) => one.id === providerId)!;
    expect(there.answers.map(({ value }) => value)).toEqual([view.video_call_url]);
    await clinic.acuity.console('PUT', `/appointments/${providerId}/cancel?admin=true`, {});
    await sync(providerId);
    expect(await getAppointment(admin, { id })).toMatchObject({ status: 'canceled' });
  });

  test('attaches it to one of several concurrently requested patients, regardless of concurrent webhooks', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, providerId } = await makeUnmatched();
      const patients = await Promise.all([1, 2, 3, 4].map(() => makePatient(clinic)));
      const outcomes = await Promise.all([
        ...patients.map((patient) =>
          attachUnmatched(admin, { id, patient_id: patient.id }).then(
            () => 'attached',
            (error: { code: string }) => error.code,
          ),
        ),
        sync(providerId).then(() => 'told'),
        sync(providerId).then(() => 'told'),
      ]);
      expect(outcomes.filter((one) => one === 'attached')).toHaveLength(1);
      const where = { providerAppointmentId: providerId };
      expect(await clinic.ctx.db.appointment.count({ where })).toBe(1);
      expect(await clinic.ctx.db.unmatchedAppointment.count({ where })).toBe(0);
    }
  });

  test('fails for an archived and an unknown patient', async () => {
    const { id } = await makeUnmatched();
    const archived = await makePatient(clinic);
    await archivePatient(admin, { id: archived.id });
    const codeOf = async (input: { id: string; patient_id: string }) =>
      (await errorOf(attachUnmatched(admin, input))).code;
    expect(await codeOf({ id, patient_id: archived.id })).toBe('patient_archived');
    expect(await codeOf({ id, patient_id: newId() })).toBe('not_found');
    expect(await codeOf({ id: newId(), patient_id: clinic.patientId })).toBe('not_found');
    expect(await claims(id)).toHaveLength(1);
  });

  test('to a new patient is for the front desk, not for billing', async () => {
    const { id } = await makeUnmatched();
    const count = () => clinic.ctx.db.patient.count({ where: { tenantId: clinic.tenant.id } });
    const before = await count();
    const billing = asStaff(clinic.services, clinic.tenant, 'billing');
    expect((await errorOf(createPatientOfUnmatched(billing, { id }))).code).toBe('forbidden');
    expect(await count()).toBe(before);
    expect(await listed()).toContain(id);
    const desk = asStaff(clinic.services, clinic.tenant, 'front_desk');
    expect((await createPatientOfUnmatched(desk, { id })).status).toBe('scheduled');
  });

  test('to a new patient copies name, address and number; fails with email_taken when a patient has the address', async () => {
    const email = `${newId()}@example.test`;
    const { id } = await makeUnmatched({ email });
    const view = await createPatientOfUnmatched(admin, { id });
    const patient = await clinic.ctx.db.patient.findFirstOrThrow({ where: { id: view.patient_id } });
    expect(patient).toMatchObject({ firstName: 'Robin', lastName: 'Example', email, phoneNumber: '+12025550123' });
    expect(await createPatientOfUnmatched(admin, { id })).toEqual(view);
    const second = await makeUnmatched({ email: `${newId()}@example.test` });
    await clinic.ctx.db.unmatchedAppointment.updateMany({ where: { id: second.id }, data: { email } });
    expect((await errorOf(createPatientOfUnmatched(admin, { id: second.id }))).code).toBe('email_taken');
    expect(await listed()).toContain(second.id);
    await clinic.ctx.db.unmatchedAppointment.updateMany({ where: { id: second.id }, data: { email: 'no address' } });
    expect((await createPatientOfUnmatched(admin, { id: second.id })).status).toBe('scheduled');
  });
});

test('ignoring removes it from the list and keeps its claim; restoring lists it again', async () => {
  const { id } = await makeUnmatched();
  for (const _ of [1, 2]) expect((await ignoreUnmatched(admin, { id })).ignored_at).not.toBeNull();
  expect(await listed()).not.toContain(id);
  expect(await listed(true)).toContain(id);
  expect(await claims(id)).toHaveLength(1);
  for (const _ of [1, 2]) expect((await restoreUnmatched(admin, { id })).ignored_at).toBeNull();
  expect(await listed()).toContain(id);
  const entries = await clinic.ctx.db.auditEntry.findMany({ where: { objectId: id }, orderBy: { position: 'asc' } });
  expect(entries.map(({ action }) => action)).toEqual([
    'appointments.ignore_unmatched',
    'appointments.restore_unmatched',
  ]);
});

test('is available to admins and admin applications only', async () => {
  const { id } = await makeUnmatched();
  const { services, tenant } = clinic;
  for (const ctx of [asPractitioner(services, tenant), asApplication(services, tenant, ['appointments:write'])]) {
    const requests = [
      listUnmatched(ctx, {}),
      attachUnmatched(ctx, { id, patient_id: clinic.patientId }),
      createPatientOfUnmatched(ctx, { id }),
      ignoreUnmatched(ctx, { id }),
      restoreUnmatched(ctx, { id }),
    ];
    for (const request of requests) expect((await errorOf(request)).code).toBe('forbidden');
  }
  expect((await listUnmatched(asApplication(services, tenant, ['admin']), {})).items.length).toBeGreaterThan(0);
});
