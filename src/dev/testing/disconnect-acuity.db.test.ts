import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '#server/core/context.ts';
import { checkAcuity } from '#server/integrations/check-integration.ts';
import { connectAcuity, updateAcuity } from '#server/integrations/connect-acuity.ts';
import { getAcuityIntegration } from '#server/integrations/list-integrations.ts';
import { disconnectAcuity } from '#server/integrations/router.ts';
import { getAppointment } from '#server/scheduling/appointments/get-appointment.ts';
import { listAppointments } from '#server/scheduling/appointments/list-appointments.ts';
import { listAvailability } from '#server/scheduling/availability/list-availability.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { rescheduleAppointment } from '#server/scheduling/booking/reschedule-appointment.ts';
import { listAppointmentTypes } from '#server/scheduling/catalogue/list-appointment-types.ts';
import { asAdmin, asApplication } from './actors.ts';
import { type Clinic, withClinic } from './clinic.ts';
import { dayAhead, errorOf, FOLLOW_UP, makePatient, ROWAN, SECOND_ACCOUNT } from './scheduling.ts';

let clinic: Clinic<'acuity'>;
beforeAll(async () => {
  clinic = await withClinic({ acuity: true });
});
afterAll(() => clinic.stop());

const admin = () => asAdmin(clinic.services, clinic.tenant);
const topics = async () =>
  (await clinic.ctx.db.event.findMany({ where: { eventType: 'integration' }, orderBy: { position: 'asc' } })).map(
    ({ eventTopic }) => eventTopic,
  );

const disconnect = () => disconnectAcuity(admin(), { account_id: clinic.acuity.account.user_id });
const book = (app: Context, patientId: string, fromDate: string) =>
  bookAppointment(app, {
    patient_id: patientId,
    appointment_type_id: FOLLOW_UP,
    calendar_id: ROWAN,
    from_date: fromDate,
  });
const at = (hour: string) => `${dayAhead(9)}T${hour}:00:00.000Z`;

test('disconnecting keeps appointments readable, deletes the key and our webhook, and rejects bookings', async () => {
  const theirs = { event: 'appointment.changed', target: 'https://elsewhere.example.test/hook' };
  await clinic.acuity.console('POST', '/webhooks', theirs);
  const app = asApplication(clinic.services, clinic.tenant);
  const patient = await makePatient(clinic);
  const appointment = await book(app, patient.id, at('16'));
  const wrong = await errorOf(disconnectAcuity(admin(), { account_id: '1' }));
  expect(wrong).toMatchObject({ code: 'conflict', source: { parameter: 'account_id' } });

  const view = await disconnect();
  expect(view).toMatchObject({
    status: 'disconnected',
    account_id: clinic.acuity.account.user_id,
    findings: [],
    details: {},
  });
  expect(await disconnect()).toEqual(view);
  expect((await topics()).slice(-1)).toEqual(['disconnected']);
  expect(clinic.acuity.hooks()).toMatchObject([theirs]);
  const row = await clinic.ctx.db.integration.findFirstOrThrow({ where: { provider: 'acuity' } });
  expect(row.credentials).toBeNull();
  expect(clinic.acuity.booked().find(({ id }) => id === appointment.provider_appointment_id)).toMatchObject({
    canceled: false,
  });

  expect(await getAppointment(app, { id: appointment.id })).toMatchObject({
    status: 'scheduled',
    from_date: appointment.from_date,
  });
  for (const call of [
    () => book(app, patient.id, at('17')),
    () => cancelAppointment(app, { id: appointment.id }),
    () => checkAcuity(admin()),
    () => updateAcuity(admin(), { api_key: 'another' }),
  ])
    expect(await errorOf(call())).toMatchObject({
      code: 'integration_not_connected',
      detail: expect.stringContaining('Acuity is not connected.'),
    });
});

test('the errors for cancel and reschedule say what to do in Acuity instead', async () => {
  const app = asApplication(clinic.services, clinic.tenant);
  const [appointment] = (await listAppointments(app, { status: ['scheduled'] })).items;
  for (const [call, words] of [
    [() => cancelAppointment(app, { id: appointment!.id }), 'cancel the appointment in Acuity itself'],
    [
      () => rescheduleAppointment(app, { id: appointment!.id, from_date: at('18') }),
      'Move the appointment in Acuity itself',
    ],
  ] as const)
    expect(await errorOf(call())).toMatchObject({
      code: 'integration_not_connected',
      detail: expect.stringContaining(words),
    });
});

test('lists only the connected account’s types: none while disconnected, the other account’s at once', async () => {
  const app = asApplication(clinic.services, clinic.tenant);
  expect(await errorOf(listAppointmentTypes(app, {}))).toMatchObject({ code: 'integration_not_connected' });
  await clinic.acuity.control('PUT', `accounts/${SECOND_ACCOUNT.user_id}`, {
    apiKey: SECOND_ACCOUNT.api_key,
    timezone: 'America/New_York',
    calendars: [{ id: 91, name: 'Another Example' }],
    types: [{ id: 92, name: 'Another visit', duration: 20 }],
  });
  await connectAcuity(admin(), SECOND_ACCOUNT);
  expect((await listAppointmentTypes(app, {})).items.map(({ id }) => id)).toEqual([92]);
  await connectAcuity(admin(), clinic.acuity.account);
  expect((await listAppointmentTypes(app, {})).items.map(({ id }) => id)).toContain(FOLLOW_UP);
});

test('offers what was fixed at Acuity after the next check', async () => {
  const app = asApplication(clinic.services, clinic.tenant);
  const day = dayAhead(12);
  const query = { appointment_type_id: FOLLOW_UP, calendar_id: ROWAN, from_date: day, to_date: day };
  const type = clinic.acuity.types().find(({ id }) => id === FOLLOW_UP)!;
  type.active = false;
  expect((await listAvailability(app, query)).items).toEqual([]);
  expect(await errorOf(listAvailability(app, query))).toMatchObject({ code: 'invalid_parameter' });
  type.active = true;
  await checkAcuity(admin());
  expect((await listAvailability(app, query)).items).not.toEqual([]);
});

test('reconnecting the same account resumes', async () => {
  expect(await connectAcuity(admin(), clinic.acuity.account)).toMatchObject({ status: 'connected' });
  expect((await topics()).slice(-1)).toEqual(['connected']);
  const app = asApplication(clinic.services, clinic.tenant);
  const [appointment] = (await listAppointments(app, { status: ['scheduled'] })).items;
  expect(await cancelAppointment(app, { id: appointment!.id })).toMatchObject({ status: 'canceled' });
  expect((await getAcuityIntegration(admin())).sandbox_url).toBe(new URL(clinic.acuity.url).origin);
});

test('disconnecting succeeds when Acuity fails, and the next connection has exactly one webhook', async () => {
  await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/webhooks' });
  expect(await disconnect()).toMatchObject({ status: 'disconnected' });
  await connectAcuity(admin(), clinic.acuity.account);
  expect(clinic.acuity.hooks().filter(({ target }) => target.endsWith(clinic.tenant.id))).toHaveLength(1);
});
