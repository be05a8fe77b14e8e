import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MessageChoicesView } from '#contract/message-choices.ts';
import { asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import type { Context } from '../core/context.ts';
import { newId } from '../core/ids.ts';
import { createPatient } from '../patients/create-patient.ts';
import { sendSms } from '../providers/sms.ts';
import { getChoices } from './get-choices.ts';
import { mayReceive } from './may-receive.ts';
import { recordChoice } from './router.ts';

const SENDER = '+12025550198';
const CODES = '+12025550100';
const SID = 'AC00000000000000000000000000000000';

let bench: SignInBench;
let tenant: Context;
let staff: Context;
let number: string;
let patientId: string;
let numbers = 0;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  tenant = (await bench.tenant()).ctx;
  staff = asPractitioner(bench.services, { id: tenant.tenantId });
  number = `+1202555${String(2000 + numbers++).padStart(4, '0')}`;
  patientId = await patientWith(staff, number);
});

async function patientWith(ctx: Context, phone: string): Promise<string> {
  const { id } = await createPatient(ctx, {
    first_name: 'Ada',
    last_name: 'Example',
    email: `ada-${newId()}@example.test`,
    phone_number: phone,
  });
  return id;
}
const may = (ctx = staff, patient = patientId) =>
  mayReceive(ctx.db, ctx, { patientId: patient, channel: 'sms', address: number });
const remind = (sender: 'codes' | 'reminder' = 'reminder') =>
  sendSms(bench.services.config, { to: number, text: 'A reminder', stamp: { tenantId: tenant.tenantId }, sender });
const smsOf = async (ctx = staff): Promise<MessageChoicesView['channels'][number]> =>
  (await getChoices(ctx, { id: patientId })).channels.find(({ channel }) => channel === 'sms')!;

type Form = Record<string, string>;
const signatureOf = (form: Form, url = `${bench.url}/api/webhooks/twilio`, token = 'emulated-token') =>
  createHmac('sha1', token)
    .update(
      url +
        Object.keys(form)
          .sort()
          .map((name) => name + form[name])
          .join(''),
    )
    .digest('base64');
const formOf = (more: Form = {}): Form => ({
  MessageSid: `SM${randomBytes(16).toString('hex')}`,
  AccountSid: SID,
  From: number,
  To: SENDER,
  Body: 'STOP',
  ...more,
});
async function post(form: Form | string, signature?: string) {
  const body = typeof form === 'string' ? form : new URLSearchParams(form);
  const response = await fetch(`${bench.url}/api/webhooks/twilio`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': signature ?? (typeof form === 'string' ? '' : signatureOf(form)),
    },
    body,
  });
  return { status: response.status, text: await response.text() };
}
const writeBack = (text: string, from = SENDER) => bench.writeBack(number, text, from);

describe('STOP', () => {
  test('to a reminder ends reminders but not sign-in codes, and START undoes it', async () => {
    await remind();
    expect(await may()).toBeNull();
    expect(await writeBack('Stop')).toEqual({ webhook: 200 });
    expect(await may()).toBe('stopped');
    await bench.settled();
    expect(await smsOf()).toMatchObject({ state: 'stopped', because: 'stop', sender: SENDER, address: number });
    await expect(remind()).rejects.toMatchObject({ twilioCode: 21610, sender: SENDER });
    await remind('codes');

    await writeBack('START');
    expect(await may()).toBeNull();
    await remind();
    await bench.settled();
    expect(await smsOf()).toMatchObject({ state: 'allowed', because: 'start' });
    const { history } = await getChoices(staff, { id: patientId });
    expect(history.map(({ state, because, words, address }) => [state, because, words, address])).toEqual([
      ['allowed', 'start', 'START', number],
      ['stopped', 'stop', 'Stop', number],
    ]);
    const entries = await tenant.db.auditEntry.findMany({
      where: { patientId, action: { startsWith: 'message_choices.' } },
      orderBy: { position: 'asc' },
      select: { action: true, actorId: true, details: true, objectId: true },
    });
    expect(entries.map(({ action, actorId, details }) => [action, actorId, details])).toEqual([
      ['message_choices.stop', 'twilio_webhook', { channel: 'sms', because: 'stop' }],
      ['message_choices.allow', 'twilio_webhook', { channel: 'sms', because: 'start' }],
    ]);
    expect(JSON.stringify(entries)).not.toContain(number);
  });

  test('to the number of sign-in codes also ends reminders until that number receives START', async () => {
    await post(formOf({ To: CODES }));
    expect(await may()).toBe('stopped');
    await post(formOf({ Body: 'START' }));
    expect(await may()).toBe('stopped');
    await post(formOf({ To: CODES, Body: 'unstop' }));
    expect(await may()).toBeNull();
  });

  test('applies at every clinic of the number’s patients and is recorded at each', async () => {
    const second = asPractitioner(bench.services, { id: (await bench.tenant()).ctx.tenantId });
    const other = await patientWith(second, number);
    await post(formOf());
    await bench.settled();
    expect(await may(second, other)).toBe('stopped');
    expect((await getChoices(second, { id: other })).history).toMatchObject([{ because: 'stop', words: 'STOP' }]);
    expect((await getChoices(staff, { id: patientId })).history).toHaveLength(1);
  });

  test('in other words is obeyed and confirmed by this service, because Twilio does neither', async () => {
    const response = await post(formOf({ Body: 'Please stop texting me' }));
    expect(response.text).toContain('<Message>You will get no more reminders');
    expect(await may()).toBe('stopped');
    expect((await post(formOf({ Body: 'STOP' }))).text).toBe('<?xml version="1.0" encoding="UTF-8"?><Response/>');
    expect((await post(formOf({ Body: 'help?' }))).text).toContain('Replies are not read');
  });

  test('in other words does not end sign-in codes, because Twilio blocks nothing', async () => {
    await staff.db.patientSignIn.create({ data: { tenantId: staff.tenantId, patientId, phoneNumber: number } });
    await post(formOf({ To: CODES, Body: 'Please stop texting me' }));
    expect(await smsOf()).toMatchObject({ state: 'stopped', sign_in_codes: 'allowed' });
    await post(formOf({ To: CODES }));
    expect(await smsOf()).toMatchObject({ state: 'stopped', sign_in_codes: 'stopped' });
  });

  test('repeated many times causes limited work, and the last text counts', async () => {
    for (let n = 0; n < 24; n++) await post(formOf({ Body: n % 2 ? 'START' : 'STOP' }));
    expect(await may()).toBeNull();
    await post(formOf());
    expect(await may()).toBe('stopped');
    await bench.settled();
    expect((await getChoices(staff, { id: patientId })).history).toHaveLength(20);
  });

  test('is undone by a YES to the number that received it; any other YES changes nothing', async () => {
    await recordChoice(staff, { id: patientId, channel: 'sms', state: 'stopped', words: 'Wants none' });
    await post(formOf({ Body: 'Yes' }));
    expect(await may()).toBe('stopped');
    await recordChoice(staff, { id: patientId, channel: 'sms', state: 'allowed', words: 'Wants them' });
    await post(formOf());
    await post(formOf({ To: CODES, Body: 'Yes' }));
    expect(await may()).toBe('stopped');
    await post(formOf({ Body: 'Yes' }));
    expect(await may()).toBeNull();
  });

  test.each([
    'I cannot come, the bus did not stop',
    'Please do not stop texting me',
    "Don't stop sending these",
    'Yes, I will be there',
    'thanks',
    '',
  ])('is not recognized in "%s"', async (Body) => {
    expect(await post(formOf({ Body }))).toMatchObject({ status: 200 });
    expect(await may()).toBeNull();
  });

  test('is undone only by the phone, not by staff', async () => {
    await post(formOf());
    const note = { id: patientId, channel: 'sms', state: 'allowed', words: 'Said so on the phone' } as const;
    await expect(recordChoice(staff, note)).rejects.toMatchObject({ code: 'conflict' });
    expect(await may()).toBe('stopped');
  });
});

describe('bad input', () => {
  test('with an invalid signature returns 401 and changes nothing', async () => {
    const form = formOf();
    const responses = [
      await post(form, ''),
      await post(form, signatureOf(form, undefined, 'another token')),
      await post(form, signatureOf(form, `${bench.url}/api/webhooks/stripe`)),
      await post({ ...form, Body: 'START' }, signatureOf(form)),
      await post(`${new URLSearchParams(form)}&Body=START`, signatureOf(form)),
      await post('', ''),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
    expect(await may()).toBeNull();
  });

  test('longer than any text is rejected before it is parsed, because its signature is not verified yet', async () => {
    expect((await post('a&'.repeat(40_000), 'unsigned')).status).toBe(413);
  });

  test('as a replay changes nothing, also after START', async () => {
    const stop = formOf();
    await post(stop);
    await post(stop);
    await post(formOf({ Body: 'START' }));
    expect((await post(stop)).status).toBe(200);
    expect(await may()).toBeNull();
    await bench.settled();
    expect((await getChoices(staff, { id: patientId })).history).toHaveLength(2);
  });

  test.each<[string, Form, number]>([
    ['another account', { AccountSid: `AC${'1'.repeat(32)}` }, 400],
    ['no message id', { MessageSid: '' }, 400],
    ['a number that is not ours', { To: '+12025550777' }, 200],
    ['a sender without a number', { From: 'CARELANE' }, 200],
    ['a short code', { From: '12345' }, 200],
    ['words with a NUL', { Body: 'hello \u0000 stop' }, 200],
    ['ten thousand letters', { Body: 'x'.repeat(10_000) }, 200],
  ])('with %s is ignored or rejected', async (_, more, status) => {
    expect((await post(formOf(more))).status).toBe(status);
    if (!('Body' in more)) expect(await may()).toBeNull();
  });

  test('from an unknown number gets the same response, and applies once its owner is a patient', async () => {
    const unknownNumber = '+12025559777';
    expect(await post(formOf({ From: unknownNumber }))).toEqual(await post(formOf()));
    await bench.settled();
    const id = await patientWith(staff, unknownNumber);
    const to = { patientId: id, channel: 'sms', address: unknownNumber } as const;
    expect(await mayReceive(staff.db, staff, to)).toBe('stopped');
  });
});
