import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { FOLLOW_UP, ROWAN } from '#dev/testing/scheduling.ts';
import { signAcuity } from '#dev/testing/sign-acuity.ts';
import { systemContext } from '#server/core/context.ts';
import { bookAppointment } from '../booking/book-appointment.ts';
import { cancelAppointment } from '../booking/cancel-appointment.ts';
import { rescheduleAppointment } from '../booking/reschedule-appointment.ts';
import { resolveAppointment } from '../booking/resolve-appointment.ts';
import { processAcuityEvent, receiveAcuityWebhook } from './acuity-webhook.ts';

let clinic: Booking;
const calls: string[] = [];
const realFetch = globalThis.fetch;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true }), { email: 'ada@example.test' });
  globalThis.fetch = (input, init) => {
    const [, path] = String(input).split('/api/v1');
    if (path) calls.push(`${init?.method ?? 'GET'} ${path}`);
    return realFetch(input, init);
  };
});
afterAll(async () => {
  globalThis.fetch = realFetch;
  await clinic?.stop();
});

/** Simulates Acuity's webhook for a change made by this service. */
async function echo(providerId: number) {
  const rawBody = `action=appointment.changed&id=${providerId}&calendarID=${ROWAN}&appointmentTypeID=${FOLLOW_UP}`;
  await receiveAcuityWebhook(clinic.services, {
    tenantId: clinic.tenant.id,
    rawBody,
    header: () => signAcuity(rawBody, clinic.acuity.account.api_key),
  });
  const event = await clinic.ctx.db.inboundEvent.findFirstOrThrow({ where: { processedAt: null } });
  await processAcuityEvent(clinic.services, { tenantId: clinic.tenant.id, provider: 'acuity', id: event.id });
}
const rowOf = (id: string) => clinic.ctx.db.appointment.findFirstOrThrow({ where: { id } });
const waiting = async () =>
  (
    await clinic.ctx.db.$queryRaw<object[]>`
      select 1 from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = task_id
      where task.identifier = 'resolve_appointment' and payload->>'tenantId' = ${clinic.tenant.id}`
  ).length;

test('a settled booking, reschedule or cancellation costs one call for its webhook, and none a minute later', async () => {
  const [time, other] = (await clinic.free(clinic.nextDay(), ROWAN)).map(({ from_date }) => from_date);
  const appointment = await bookAppointment(clinic.app(), clinic.wish(time!, { calendar_id: ROWAN }));
  const steps = [
    async () => {},
    async () => void (await rescheduleAppointment(clinic.app(), { id: appointment.id, from_date: other! })),
    async () => void (await cancelAppointment(clinic.app(), { id: appointment.id })),
  ];
  for (const step of steps) {
    await step();
    // No resolve job is queued.
    expect(await waiting()).toBe(0);
    const settled = await rowOf(appointment.id);
    // The cached catalogue has expired; the sync of an unchanged appointment does not need it.
    const later = new Date(Date.now() + 120_000);
    const ctx = systemContext({ ...clinic.services, clock: { now: () => later } }, clinic.tenant.id, 'test');
    calls.length = 0;
    await echo(appointment.provider_appointment_id!);
    expect(calls).toEqual([`GET /appointments/${appointment.provider_appointment_id}`]);
    await resolveAppointment(ctx, { tenantId: clinic.tenant.id, appointmentId: appointment.id });
    expect(calls.slice(1)).toEqual([]);
    expect(await rowOf(appointment.id)).toEqual(settled);
  }
});
