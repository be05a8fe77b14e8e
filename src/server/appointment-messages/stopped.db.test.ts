import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { freePort, serveHandlers } from '#dev/testing/http-server.ts';
import { makePatient, ROWAN } from '#dev/testing/scheduling.ts';
import { createInboxEmulator, type RunningInbox } from '#emulators/inbox/index.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { bookAppointment } from '#server/scheduling/booking/book-appointment.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { readMessageSettings, updateMessageSettings } from './message-settings.ts';
import { planAppointmentMessages } from './plan-appointment-messages.ts';
import { sendDueMessages } from './send-due-messages.ts';

const TWILIO = { sid: `AC${'0'.repeat(32)}`, token: 'emulated-token' };
const [CODES, REMINDERS] = ['+12025550100', '+12025550198'];

let inbox: RunningInbox;
let clinic: Booking;
let server: Awaited<ReturnType<typeof serveHandlers>>;
let times: string[];
let numbers = 0;
beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const twilio = { ...TWILIO, webhookUrl: `${url}/api/webhooks/twilio` };
  inbox = await createInboxEmulator({ twilio, log: () => {} }).start();
  clinic = await withBooking(
    await withClinic({
      acuity: true,
      env: {
        ...{ PUBLIC_URL: url, SMTP_URL: inbox.smtpUrl, INBOX_URL: inbox.url, TWILIO_API_URL: inbox.url },
        ...{ TWILIO_ACCOUNT_SID: TWILIO.sid, TWILIO_AUTH_TOKEN: TWILIO.token, TWILIO_FROM: CODES! },
        TWILIO_REMINDER_FROM: REMINDERS!,
      },
    }),
  );
  server = await serveHandlers(clinic.services, port);
  times = [...(await clinic.free(clinic.nextDay(), ROWAN)), ...(await clinic.free(clinic.nextDay(), ROWAN))].map(
    ({ from_date }) => from_date,
  );
  const admin = asAdmin(clinic.services, clinic.tenant);
  const { settings, version } = await readMessageSettings(admin.db, clinic.tenant.id);
  const channels = { reminder_channels: ['email', 'sms'] as ('email' | 'sms')[], quiet: null };
  await updateMessageSettings(admin, { settings: { ...settings, ...channels }, version });
});
afterAll(async () => {
  await server?.stop();
  await clinic?.stop();
  await inbox?.stop();
});

async function settle(when?: Date): Promise<void> {
  const rows = await clinic.services.database.system.$queryRaw<{ id: string; payload: never }[]>`
    delete from graphile_worker._private_jobs where task_id in (
      select id from graphile_worker._private_tasks where identifier = 'plan_visit_messages')
    returning id::text, payload`;
  for (const { payload } of rows.sort((a, b) => Number(a.id) - Number(b.id)))
    await planAppointmentMessages(clinic.services, payload);
  const then: Services = { ...clinic.services, clock: { now: () => when ?? new Date() } };
  await sendDueMessages(then, { tenantId: clinic.tenant.id });
}

async function booked(domain = 'example.test') {
  const email = `${newId()}@${domain}`;
  const phone = `+1202555${String(3000 + numbers++)}`;
  const { id: patient_id } = await makePatient(clinic, { email });
  await clinic.ctx.db.patient.updateMany({ where: { id: patient_id }, data: { phoneNumber: phone } });
  const time = times.shift()!;
  const { id } = await bookAppointment(clinic.app(), clinic.wish(time, { patient_id, calendar_id: ROWAN }));
  await settle();
  const startAt = new Date(time);
  const rows = async (kind = 'reminder') =>
    (await clinic.ctx.db.visitMessage.findMany({ where: { appointmentId: id, kind } }))
      .sort((a, b) => b.minutesBefore - a.minutesBefore || a.channel.localeCompare(b.channel))
      .map(({ minutesBefore, channel, state, why }) => [minutesBefore, channel, state, why]);
  return {
    ...{ id, email, phone, rows },
    to: (address: string) => inbox.world.state.messages.filter(({ to }) => to.includes(address)),
    aDayBefore: () => settle(new Date(startAt.getTime() - 24 * HOUR + MINUTE)),
    anHourBefore: () => settle(new Date(startAt.getTime() - HOUR + MINUTE)),
  };
}

test('a patient who replies STOP gets no more reminders by text, and still gets them by email', async () => {
  const appointment = await booked();
  await appointment.aDayBefore();
  const [text] = appointment.to(appointment.phone);
  expect(text).toMatchObject({ from: REMINDERS });
  const response = await fetch(`${inbox.url}/messages/${text!.id}/reply`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Stop' }),
  });
  expect(await response.json()).toEqual({ webhook: 200 });
  await appointment.anHourBefore();
  expect(await appointment.rows()).toEqual([
    [1440, 'email', 'sent', null],
    [1440, 'sms', 'sent', null],
    [60, 'email', 'sent', null],
    [60, 'sms', 'skipped', 'stopped'],
  ]);
  expect(appointment.to(appointment.phone).map(({ text }) => /visit/i.test(text))).toEqual([true, false]);
});

test('a patient who unsubscribes in the mail program gets no more reminders by email, and still gets a cancellation', async () => {
  const appointment = await booked();
  await appointment.aDayBefore();
  const reminder = appointment.to(appointment.email).at(-1)!;
  expect(reminder.text).toContain(`${clinic.services.config.publicUrl}/choices#`);
  const link = /^<(.+)>$/.exec(reminder.unsubscribe ?? '')![1]!;
  const pressed = await fetch(link, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  expect(pressed.status).toBe(200);
  await appointment.anHourBefore();
  expect((await appointment.rows()).slice(2)).toEqual([
    [60, 'email', 'skipped', 'unsubscribed'],
    [60, 'sms', 'sent', null],
  ]);
  await cancelAppointment(clinic.app(), { id: appointment.id });
  await settle();
  expect(appointment.to(appointment.email).map(({ subject }) => /canceled/.test(subject))).toEqual([
    false,
    false,
    true,
  ]);
});

test('an address that the mail server rejects permanently gets one email', async () => {
  const appointment = await booked('bounce.example.test');
  expect(await appointment.rows('confirmation')).toMatchObject([[expect.anything(), 'email', 'failed', 'refused']]);
  await appointment.aDayBefore();
  expect((await appointment.rows())[0]).toEqual([1440, 'email', 'skipped', 'bounced']);
});

test("a STOP without a webhook is learned from Twilio's error", async () => {
  const appointment = await booked();
  inbox.world.state.blocked = [`${REMINDERS} ${appointment.phone}`];
  await appointment.aDayBefore();
  await appointment.anHourBefore();
  const texts = (await appointment.rows()).filter(([, channel]) => channel === 'sms');
  expect(texts).toEqual([
    [1440, 'sms', 'failed', 'stopped'],
    [60, 'sms', 'skipped', 'stopped'],
  ]);
});
