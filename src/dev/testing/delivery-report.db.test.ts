import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import { listAppointmentMessages } from '#server/appointment-messages/appointment-messages.ts';
import { updateMessageSettings } from '#server/appointment-messages/message-settings.ts';
import { mayReceive } from '#server/consent/may-receive.ts';
import { newId } from '#server/core/ids.ts';
import { createWebhookHandler } from '#server/http/webhook-handler.ts';
import { asAdmin } from './actors.ts';
import { withClinic } from './clinic.ts';
import { type SendingBench, withMessages } from './sending.ts';

const SID = 'AC00000000000000000000000000000000';
const TOKEN = 'emulated-token';
const SENDER = '+12025550198';

let bench: SendingBench;
beforeAll(async () => {
  bench = await withMessages(await withClinic({ acuity: true, inbox: true, twilio: true }));
  const settings = { ...DEFAULT_SETTINGS, reminder_channels: ['sms' as const], reminders: [60], quiet: null };
  await updateMessageSettings(asAdmin(bench.clinic.services, bench.clinic.tenant), { settings, version: 0 });
});
afterAll(() => bench?.stop());

let numbers = 0;
let number: string;
let appointmentId: string;
let patientId: string;
let callback: string;
let sid: string;
beforeEach(async () => {
  number = `+1202555${String(3000 + numbers++).padStart(4, '0')}`;
  const booked = await bench.booked();
  [appointmentId, patientId] = [booked.appointment.id, booked.patientId];
  await bench.clinic.ctx.db.patient.updateMany({ where: { id: patientId }, data: { phoneNumber: number } });
  await bench.settle();
  const [reminder] = await reminders();
  await bench.send(reminder!.dueAt);
  const text = bench.inbox.world.state.messages.find(({ to }) => to.includes(number))!;
  [callback, sid] = [text.statusCallback!, text.sid!];
});
const reminders = async () => (await bench.rowsOf(appointmentId)).filter(({ kind }) => kind === 'reminder');
const shown = async () => {
  const all = await listAppointmentMessages(bench.clinic.app(), { id: appointmentId });
  const { state, delivery, why } = all.find(({ kind }) => kind === 'reminder')!;
  return [state, delivery, why];
};
const may = () => mayReceive(bench.clinic.ctx.db, bench.clinic.ctx, { patientId, channel: 'sms', address: number });
const events = async () => {
  const [row] = await reminders();
  const all = await bench.clinic.ctx.db.event.findMany({ where: { objectId: row!.id } });
  return all.map(({ eventTopic }) => eventTopic).sort();
};

type Form = Record<string, string>;
async function postStatus(status: string, more: Form = {}, { to = callback, token = TOKEN } = {}): Promise<number> {
  const form: Form = {
    ...{ MessageSid: sid, AccountSid: SID, From: SENDER, To: number, MessageStatus: status, ...more },
  };
  const sorted = Object.keys(form).sort();
  const signature = createHmac('sha1', token)
    .update(to + sorted.map((name) => name + form[name]).join(''))
    .digest('base64');
  const { pathname, searchParams } = new URL(to);
  const response = await createWebhookHandler(bench.clinic.services)({
    ...{ method: 'POST', path: pathname, query: searchParams, ip: '198.51.100.7' },
    header: (name) => (name === 'x-twilio-signature' ? signature : null),
    body: async () => new TextEncoder().encode(new URLSearchParams(form).toString()),
  });
  return response.status;
}

test('a text is sent and later delivered, once for any number of reports', async () => {
  expect(await shown()).toEqual(['sent', null, null]);
  for (const status of ['queued', 'sent', 'delivered', 'delivered', 'sent']) expect(await postStatus(status)).toBe(200);
  expect(await shown()).toEqual(['sent', 'delivered', null]);
  expect(await events()).toEqual(['sent']);
  const entries = await bench.clinic.ctx.db.auditEntry.findMany({
    where: { action: 'appointment_messages.deliver', patientId },
  });
  expect(entries).toHaveLength(1);
});

test.each([
  ['undelivered', 30003, 'unreachable', null],
  ['undelivered', 30004, 'blocked_there', null],
  ['undelivered', 30005, 'no_number', 'bounced'],
  ['undelivered', 30006, 'takes_no_texts', 'bounced'],
  ['undelivered', 30007, 'filtered', null],
  ['undelivered', 30008, 'undelivered', null],
  ['failed', 21610, 'stopped', 'stopped'],
  ['failed', 99_999, 'undelivered', null],
])(
  '%s with %i shows as not delivered, and blocks the number if it cannot receive texts',
  async (status, code, why, stops) => {
    expect(await postStatus(status, { ErrorCode: String(code) })).toBe(200);
    await postStatus(status, { ErrorCode: String(code) });
    expect(await shown()).toEqual(['sent', 'not_delivered', why]);
    expect(await events()).toEqual(['failed', 'sent']);
    expect(await may()).toBe(stops);
  },
);

test('reports out of order end as delivered', async () => {
  await postStatus('undelivered', { ErrorCode: '30008' });
  await postStatus('delivered');
  await postStatus('sent');
  await postStatus('undelivered', { ErrorCode: '30008' });
  expect(await shown()).toEqual(['sent', 'delivered', null]);
});

test('a repeated report does not block a number again after it was allowed again', async () => {
  const db = bench.clinic.services.database.system;
  await postStatus('undelivered', { ErrorCode: '30006' });
  expect(await may()).toBe('bounced');
  await db.addressSignal.updateMany({ where: { providerId: `${sid}:report` }, data: { state: 'allowed' } });
  await postStatus('undelivered', { ErrorCode: '30006' });
  expect(await may()).toBe(null);
});

test('a delivery report settles a text with an unknown outcome as sent', async () => {
  const [row] = await reminders();
  await bench.clinic.ctx.db.visitMessage.updateMany({
    where: { id: row!.id },
    data: { state: 'failed', why: 'unknown', sentAt: null },
  });
  await postStatus('delivered');
  expect(await shown()).toEqual(['sent', 'delivered', null]);
});

test('a report that arrives before the text is recorded as sent applies after it', async () => {
  const [row] = await reminders();
  const claimedAt = new Date(Date.now() - 600_000);
  await bench.clinic.ctx.db.visitMessage.updateMany({ where: { id: row!.id }, data: { state: 'sending', claimedAt } });
  await postStatus('delivered');
  expect(await shown()).toEqual(['sending', 'delivered', null]);
  await bench.send(new Date());
  expect(await shown()).toEqual(['sent', 'delivered', null]);
});

test('ignores reports that are unsigned, or for another number, message or account', async () => {
  expect(await postStatus('delivered', {}, { token: 'another' })).toBe(401);
  // Signed for another message.
  const other = callback.replace(/\.[0-9a-f-]+$/, `.${newId()}`);
  expect(await postStatus('delivered', {}, { to: other })).toBe(200);
  expect(await postStatus('delivered', {}, { to: `${callback}x` })).toBe(200);
  expect(await postStatus('delivered', { To: '+12025559999' })).toBe(200);
  expect(await postStatus('delivered', { AccountSid: `AC${randomBytes(16).toString('hex')}` })).toBe(400);
  expect(await postStatus('delivered', { MessageSid: 'none' })).toBe(400);
  expect(await postStatus('no-such-status')).toBe(200);
  expect(await shown()).toEqual(['sent', null, null]);
});

test('the emulator sends reports as Twilio does', async () => {
  const text = bench.inbox.world.state.messages.find(({ to }) => to.includes(number))!;
  const post = (body: object) =>
    fetch(`${bench.inbox.url}/messages/${text.id}/status`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await post({ status: 'gone' })).status).toBe(400);
  // No server listens at this callback URL.
  expect(await (await post({ status: 'undelivered', error_code: 30006 })).json()).toEqual({ webhook: null });
  expect(callback).toBe(
    `${bench.clinic.services.config.publicUrl}/api/webhooks/twilio?about=${bench.clinic.tenant.id}.${(await reminders())[0]!.id}`,
  );
});
