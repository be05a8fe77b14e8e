import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeTenant } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { claimsOf, errorOf, FOLLOW_UP, LOCATION_FIELD, ROWAN } from '#dev/testing/scheduling.ts';
import { getAppointment } from '../appointments/get-appointment.ts';
import { listAppointments } from '../appointments/list-appointments.ts';
import { bookAppointment } from '../booking/book-appointment.ts';
import { cancelAppointment } from '../booking/cancel-appointment.ts';
import { processAcuityEvent, receiveAcuityWebhook } from './acuity-webhook.ts';

let clinic: Booking;
let onDay: string;
let times: string[];
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { email: 'ada@example.test' });
});
afterAll(() => clinic.stop());
beforeEach(async () => {
  onDay = clinic.nextDay();
  times = (await free()).map(({ from_date }) => from_date);
});

const free = () => clinic.free(onDay, ROWAN);
const book = (from_date: string) => bookAppointment(clinic.app(), clinic.wish(from_date, { calendar_id: ROWAN }));
const sign = (body: string, key = clinic.acuity.account.api_key) =>
  createHmac('sha256', key).update(body).digest('base64');
const receive = (rawBody: string, signature: string | null = sign(rawBody), tenantId = clinic.tenant.id) =>
  receiveAcuityWebhook(clinic.services, {
    tenantId,
    rawBody,
    header: (name) => (name === 'x-acuity-signature' ? signature : null),
  });
/** Receives the webhook and runs its job. */
async function processWebhook(providerId: number, action = 'appointment.changed') {
  await receive(`action=${action}&id=${providerId}&calendarID=${ROWAN}&appointmentTypeID=${FOLLOW_UP}`);
  const event = await clinic.ctx.db.inboundEvent.findFirstOrThrow({ where: { processedAt: null } });
  await processAcuityEvent(clinic.services, { tenantId: clinic.tenant.id, provider: 'acuity', id: event.id });
}
const topics = async (objectId: string) =>
  (await clinic.ctx.db.event.findMany({ where: { objectId }, orderBy: { position: 'asc' } })).map(
    ({ eventTopic }) => eventTopic,
  );
const consoleBooking = (datetime: string, more: object = {}) =>
  clinic.acuity.console('POST', '/appointments?admin=true', {
    datetime,
    appointmentTypeID: FOLLOW_UP,
    calendarID: ROWAN,
    firstName: 'Ada',
    lastName: 'Example',
    email: 'ada@example.test',
    ...more,
  });

describe('a webhook', () => {
  test('returns invalid_token for a wrong signature, and stores nothing', async () => {
    const body = 'action=changed&id=1';
    const before = await clinic.ctx.db.inboundEvent.count();
    const otherTenant = await makeTenant(clinic.services);
    for (const [signature, tenantId] of [
      [null, clinic.tenant.id],
      ['', clinic.tenant.id],
      [sign(body, 'another-key'), clinic.tenant.id],
      [sign(`${body}0`), clinic.tenant.id],
      [sign(body), otherTenant.id],
    ] as const)
      expect((await errorOf(receive(body, signature, tenantId))).code).toBe('invalid_token');
    expect((await errorOf(receive('action=changed'))).code).toBe('malformed_request');
    expect(await clinic.ctx.db.inboundEvent.count()).toBe(before);
  });

  test('for an appointment booked here changes nothing, even when repeated', async () => {
    const { id, provider_appointment_id } = await book(times[0]!);
    for (const action of ['scheduled', 'appointment.changed', 'appointment.scheduled'])
      await processWebhook(provider_appointment_id!, action);
    expect(await topics(id)).toEqual(['scheduled']);
    expect(await claimsOf(clinic.ctx, id)).toHaveLength(1);
  });

  test('that fails is stored for the next attempt', async () => {
    const { provider_appointment_id } = await book(times[0]!);
    await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/appointments/:id' });
    await expect(processWebhook(provider_appointment_id!)).rejects.toThrow('Acuity');
    const event = await clinic.ctx.db.inboundEvent.findFirstOrThrow({ where: { processedAt: null } });
    expect(event).toMatchObject({ attempts: 1, lastError: expect.stringContaining('Acuity') });
    await processAcuityEvent(clinic.services, { tenantId: clinic.tenant.id, provider: 'acuity', id: event.id });
    expect(await clinic.ctx.db.inboundEvent.count({ where: { processedAt: null } })).toBe(0);
  });
});

describe("a change in Acuity's console to a local appointment", () => {
  test('cancellation frees the slot', async () => {
    const { id, provider_appointment_id } = await book(times[0]!);
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, {});
    await processWebhook(provider_appointment_id!);
    const view = await getAppointment(clinic.app(), { id });
    expect(view).toMatchObject({ status: 'canceled', canceled_at: expect.any(String) });
    expect(await cancelAppointment(clinic.app(), { id })).toEqual(view);
    expect(await topics(id)).toEqual(['scheduled', 'canceled']);
    expect((await free()).map(({ from_date }) => from_date)).toContain(times[0]);
    expect((await listAppointments(clinic.app(), { status: ['canceled'] })).items.map((one) => one.id)).toContain(id);
  });

  test('cancellation without a webhook: a local cancellation succeeds', async () => {
    const { id, provider_appointment_id } = await book(times[0]!);
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, {});
    expect(await cancelAppointment(clinic.app(), { id })).toMatchObject({ status: 'canceled' });
  });

  test('no-show sets the status no_show', async () => {
    const { id, provider_appointment_id } = await book(times[0]!);
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/cancel?admin=true`, { noShow: true });
    await processWebhook(provider_appointment_id!);
    expect(await getAppointment(clinic.app(), { id })).toMatchObject({ status: 'no_show' });
    expect(await topics(id)).toEqual(['scheduled', 'changed']);
  });

  test('reschedule moves the claim', async () => {
    const { id, provider_appointment_id, video_call_url } = await book(times[0]!);
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}/reschedule`, { datetime: times[5] });
    await processWebhook(provider_appointment_id!);
    expect(await getAppointment(clinic.app(), { id })).toMatchObject({ from_date: times[5], video_call_url });
    expect(await claimsOf(clinic.ctx, id)).toMatchObject([{ startAt: new Date(times[5]!) }]);
    const offered = (await free()).map(({ from_date }) => from_date);
    expect(offered).toContain(times[0]);
    expect(offered).not.toContain(times[5]);
    expect(await topics(id)).toEqual(['scheduled', 'rescheduled']);
  });

  test('a changed address becomes the location', async () => {
    const { id, provider_appointment_id } = await book(times[0]!);
    const fields = [{ id: LOCATION_FIELD, value: '1 Example Street' }];
    await clinic.acuity.console('PUT', `/appointments/${provider_appointment_id}?admin=true`, { fields });
    await processWebhook(provider_appointment_id!);
    expect(await getAppointment(clinic.app(), { id })).toMatchObject({ location: '1 Example Street' });
    expect(await topics(id)).toEqual(['scheduled', 'changed']);
  });
});

describe("a booking in Acuity's console", () => {
  const adopted = (providerAppointmentId: number) =>
    clinic.ctx.db.appointment.findFirst({ where: { providerAppointmentId } });

  test("becomes the appointment of the patient with that address, with a link in Acuity's Location form", async () => {
    const booking = await consoleBooking(times[0]!, { email: ' ADA@example.test'.trim() });
    await processWebhook(booking.id);
    await processWebhook(booking.id);
    const row = (await adopted(booking.id))!;
    const view = await getAppointment(clinic.app(), { id: row.id });
    expect(view).toMatchObject({ patient_id: clinic.patientId, from_date: times[0], status: 'scheduled' });
    const there = clinic.acuity.booked().find(({ id }) => id === booking.id)!;
    expect(there.answers.map(({ value }) => value)).toEqual([view.video_call_url]);
    expect((await free()).map(({ from_date }) => from_date)).not.toContain(times[0]);
    expect((await errorOf(book(times[0]!))).code).toBe('slot_taken');
    expect(await topics(row.id)).toEqual(['scheduled']);
  });

  test('keeps the address entered in Acuity', async () => {
    const fields = [{ id: LOCATION_FIELD, value: '1 Example Street' }];
    const booking = await consoleBooking(times[0]!, { fields });
    await processWebhook(booking.id);
    expect(await adopted(booking.id)).toMatchObject({ location: '1 Example Street' });
  });

  test.each(['unknown@example.test', 'ada@example.test.example', ''])(
    'for "%s" is reported once and attached to no patient',
    async (email) => {
      const booking = await consoleBooking(times[0]!, { email });
      await processWebhook(booking.id);
      await processWebhook(booking.id);
      expect(await adopted(booking.id)).toBeNull();
      expect(await topics(String(booking.id))).toEqual(['unmatched']);
      const event = await clinic.ctx.db.event.findFirst({ where: { objectId: String(booking.id) } });
      expect(JSON.stringify(event!.payload)).not.toMatch(/Ada|example\.test/);
      expect((await free()).map(({ from_date }) => from_date)).not.toContain(times[0]);
    },
  );

  test('that overlaps a local one is recorded without a claim, and gets one when the local one ends', async () => {
    const local = await book(times[0]!);
    const booking = await consoleBooking(times[0]!);
    await processWebhook(booking.id);
    const row = (await adopted(booking.id))!;
    expect(row.status).toBe('scheduled');
    expect(await claimsOf(clinic.ctx, row.id)).toEqual([]);
    expect(await claimsOf(clinic.ctx, local.id)).toHaveLength(1);
    await cancelAppointment(clinic.app(), { id: local.id });
    expect(await claimsOf(clinic.ctx, row.id)).toHaveLength(1);
    expect(await claimsOf(clinic.ctx, local.id)).toEqual([]);
  });
});

test('a webhook that arrives before the booking response finds the same appointment', async () => {
  await clinic.acuity.fault('slow_drip', { method: 'POST', path: '/api/v1/appointments' });
  const booking = book(times[0]!);
  await expect.poll(() => clinic.acuity.booked().some(({ startAt }) => startAt === Date.parse(times[0]!))).toBe(true);
  const there = clinic.acuity.booked().find(({ startAt }) => startAt === Date.parse(times[0]!))!;
  await processWebhook(there.id);
  const view = await booking;
  expect(view).toMatchObject({ status: 'scheduled', provider_appointment_id: there.id });
  expect(await topics(view.id)).toEqual(['scheduled']);
});
