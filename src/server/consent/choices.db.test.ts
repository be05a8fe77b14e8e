import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asApplication, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import type { Context } from '../core/context.ts';
import { newId } from '../core/ids.ts';
import { sendMessage } from '../messages/send-message.ts';
import { createPatient } from '../patients/create-patient.ts';
import { choicesLink } from './choices-link.ts';
import { getChoices } from './get-choices.ts';
import { mayReceive } from './may-receive.ts';
import { recordChoice } from './router.ts';

const SECRET = 'whsec_c2VjcmV0IG9mIGEgbWFpbCBzZXJ2aWNl';

let bench: SignInBench;
let staff: Context;
let email: string;
let patientId: string;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  staff = asPractitioner(bench.services, { id: (await bench.tenant()).ctx.tenantId });
  email = `ada-${newId()}@example.test`;
  patientId = (await createPatient(staff, { email })).id;
});

const may = (channel: 'email' | 'sms' = 'email', address = email) =>
  mayReceive(staff.db, staff, { patientId, channel, address });
const oneClick = (link = choicesLink(staff, patientId).oneClick, body = 'List-Unsubscribe=One-Click') =>
  fetch(link, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body });
const token = () => choicesLink(staff, patientId).page.split('#')[1]!;
const step = (name: string, body: object) => bench.call('POST', `/api/links/messageChoices.${name}`, body);
const history = async () => {
  await bench.settled();
  return (await getChoices(staff, { id: patientId })).history.map(({ state, because, words }) => [
    state,
    because,
    words,
  ]);
};
const note = (state: 'allowed' | 'stopped', channel: 'email' | 'sms' = 'email') =>
  recordChoice(staff, { id: patientId, channel, state, words: 'Said so at the desk' });

describe('one-click unsubscribe', () => {
  test('ends emails at once and permanently, and is idempotent', async () => {
    for (let n = 0; n < 2; n++) expect((await oneClick()).status).toBe(200);
    expect(await may()).toBe('unsubscribed');
    expect(await may('sms', '+12025550142')).toBeNull();
    expect(await history()).toEqual([['stopped', 'unsubscribed', null]]);
    await note('allowed');
    expect(await may()).toBeNull();
  });

  test('accepts both form encodings, and redirects a GET to the page', async () => {
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    expect((await fetch(choicesLink(staff, patientId).oneClick, { method: 'POST', body: form })).status).toBe(200);
    expect(await may()).toBe('unsubscribed');
    const opened = await fetch(choicesLink(staff, patientId).oneClick, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([303, `/choices#${token()}`]);
  });

  test('rejects an invalid link or body without a change', async () => {
    const { oneClick: link } = choicesLink(staff, patientId);
    const other = asPractitioner(bench.services, { id: (await bench.tenant()).ctx.tenantId });
    const forged = link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    const responses = [
      await oneClick(forged),
      await oneClick(choicesLink({ ...other }, patientId).oneClick),
      await oneClick(link.slice(0, -20)),
      await oneClick(`${link}/more`),
      await oneClick(link, 'hello'),
      await fetch(link, { method: 'PUT' }),
      await fetch(link),
    ];
    expect(responses.map(({ status }) => status).slice(0, 6)).toEqual([404, 404, 404, 404, 400, 405]);
    expect(await may()).toBeNull();
  });

  test('responds at once to a body that is slow to parse', async () => {
    const { oneClick: link } = choicesLink(staff, patientId);
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    for (const lineBreaks of [3_000, 60_000]) {
      const startedAt = performance.now();
      const body = `name=List-Unsubscribe${'\n'.repeat(lineBreaks)}`;
      expect((await fetch(link, { method: 'POST', headers, body })).status).toBe(lineBreaks > 4096 ? 413 : 400);
      if (process.env.PROVE) expect(performance.now() - startedAt).toBeLessThan(2_000);
    }
    expect(await may()).toBeNull();
  });
});

describe('the page of message choices', () => {
  test('shows the clinic and the channels without the patient’s identity, and changes them', async () => {
    const opened = await step('open', { token: token() });
    expect(opened.body).toEqual({
      clinic: 'Riverbend Clinic',
      channels: [{ channel: 'email', state: 'allowed', because: null, sender: null }],
    });
    const ended = await step('change', { token: token(), channel: 'email', state: 'stopped' });
    expect(ended.body.channels[0]).toMatchObject({ state: 'stopped', because: 'patient' });
    expect(await may()).toBe('stopped');
    await step('change', { token: token(), channel: 'email', state: 'allowed' });
    expect(await may()).toBeNull();
    expect(await history()).toEqual([
      ['allowed', 'patient', null],
      ['stopped', 'patient', null],
    ]);
  });

  test('limits the number of changes, but always allows to stop', async () => {
    const statuses = [];
    for (let n = 0; n < 24; n++) {
      const state = n % 2 ? 'allowed' : 'stopped';
      const headers = { 'x-forwarded-for': `198.51.100.${n}` };
      const body = { token: token(), channel: 'email', state };
      statuses.push((await bench.call('POST', '/api/links/messageChoices.change', body, { headers })).status);
    }
    expect(new Set(statuses.slice(0, 20))).toEqual(new Set([200]));
    expect(statuses.slice(20)).toEqual([200, 429, 200, 429]);
    expect(await may()).toBe('stopped');
  });

  test('opens only by its own link', async () => {
    const other = asPractitioner(bench.services, { id: (await bench.tenant()).ctx.tenantId });
    const otherClinicToken = choicesLink(other, patientId).page.split('#')[1]!;
    const statuses = [];
    for (const wrong of [otherClinicToken, `${token()}x`, 'a.b', ''])
      statuses.push((await step('open', { token: wrong })).status);
    expect(statuses).toEqual([404, 404, 404, 404]);
    expect((await step('change', { token: token(), channel: 'fax', state: 'stopped' })).status).toBe(422);
  });
});

describe('an undeliverable address', () => {
  const code = () =>
    staff.db.$transaction((tx) =>
      sendMessage(tx, staff, { kind: 'reset_code', to: email, code: '012345', until: '2100-01-01T00:00:00Z' }),
    );
  const patientAt = async (domain: string) => {
    email = `ada-${newId()}@${domain}`;
    patientId = (await createPatient(staff, { email })).id;
  };

  test('is stopped after a permanent rejection by the mail server, and allowed again by staff', async () => {
    await patientAt('bounce.example.test');
    await code();
    await code();
    expect(await history()).toEqual([['stopped', 'bounced', null]]);
    expect(await may()).toBe('bounced');
    await note('allowed');
    expect(await may()).toBeNull();
  });

  test.each(['full.example.test', 'policy.example.test'])('is not stopped for other reasons: %s', async (domain) => {
    await patientAt(domain);
    const error = Object.assign(new Error(), {
      ...(domain.startsWith('full')
        ? { responseCode: 452, response: '452 4.2.2 The mailbox is full' }
        : { responseCode: 550, response: '550 5.7.1 Refused for reasons of policy' }),
      command: 'RCPT TO',
    });
    const { recordDeliveryError: noteRefusal } = await import('./record-delivery-error.ts');
    expect(await noteRefusal(bench.services, email, error)).toBeNull();
    expect(await may()).toBeNull();
  });
});

describe('a mail service’s webhook', () => {
  const postReport = (body: unknown, { id = `msg_${newId()}`, secret = SECRET, at = bench.clock.now() } = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const seconds = Math.floor(at.getTime() / 1000);
    const key = Buffer.from(secret.slice(6), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${seconds}.${text}`).digest('base64');
    return fetch(`${bench.url}/api/webhooks/mail`, {
      method: 'POST',
      headers: { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` },
      body: text,
    });
  };

  test('stops permanently bounced and complaining addresses in any case', async () => {
    const other = `ben-${newId()}@example.test`;
    const ben = (await createPatient(staff, { email: other })).id;
    const response = await postReport([
      { event: 'bounce', email: email.toUpperCase() },
      { event: 'spamreport', email: other },
      { event: 'delivered', email: 'carl@example.test' },
    ]);
    expect(response.status).toBe(200);
    expect(await may()).toBe('bounced');
    expect(await mayReceive(staff.db, staff, { patientId: ben, channel: 'email', address: other })).toBe('complained');
    expect(await history()).toEqual([['stopped', 'bounced', null]]);
    const undo = { id: ben, channel: 'email', state: 'allowed', words: 'Wants them' } as const;
    await expect(recordChoice(staff, undo)).rejects.toMatchObject({ code: 'conflict' });
    await expect(recordChoice(asApplication(bench.services, { id: staff.tenantId }), undo)).rejects.toMatchObject({
      code: 'conflict',
    });
    const benToken = choicesLink(staff, ben).page.split('#')[1]!;
    await step('change', { token: benToken, channel: 'email', state: 'allowed' });
    expect(await mayReceive(staff.db, staff, { patientId: ben, channel: 'email', address: other })).toBeNull();
  });

  /** The same address at another clinic. */
  const elsewhere = async () => {
    const ctx = asPractitioner(bench.services, { id: (await bench.tenant()).ctx.tenantId });
    const { id } = await createPatient(ctx, { email });
    return {
      may: () => mayReceive(ctx.db, ctx, { patientId: id, channel: 'email', address: email }),
      history: async () => (await getChoices(ctx, { id })).history.map(({ state, because }) => [state, because]),
      oneClick: () => oneClick(choicesLink(ctx, id).oneClick),
    };
  };
  const ownChange = (state: 'allowed' | 'stopped') => step('change', { token: token(), channel: 'email', state });

  test('for a complaint cannot be undone by staff, even after a bounce', async () => {
    await postReport([{ event: 'complaint', email }]);
    await postReport([{ event: 'bounce', email }]);
    await expect(note('allowed')).rejects.toMatchObject({ code: 'conflict' });
    expect((await ownChange('allowed')).status).toBe(200);
    expect(await may()).toBeNull();
    await postReport([{ event: 'bounce', email }]);
    expect(await may()).toBe('bounced');
  });

  test('for a complaint is undone by the patient only at the clinic of the page', async () => {
    const other = await elsewhere();
    await postReport([{ event: 'complaint', email }]);
    await ownChange('allowed');
    expect(await may()).toBeNull();
    expect(await other.may()).toBe('complained');
    expect(await history()).toEqual([
      ['allowed', 'patient', null],
      ['stopped', 'complained', null],
    ]);
    expect(await other.history()).toEqual([['stopped', 'complained']]);
    await note('stopped');
    await note('allowed');
    expect(await may()).toBeNull();
    await postReport([{ event: 'complaint', email }]);
    expect(await may()).toBe('complained');
  });

  test('for a bounce is undone for all clinics by staff of one, which other clinics do not see', async () => {
    const other = await elsewhere();
    await postReport([{ event: 'bounce', email }]);
    await bench.settled();
    expect((await other.oneClick()).status).toBe(200);
    expect((await other.oneClick()).status).toBe(200);
    await note('allowed');
    expect(await may()).toBeNull();
    expect(await history()).toEqual([
      ['allowed', 'staff', 'Said so at the desk'],
      ['stopped', 'bounced', null],
    ]);
    expect(await other.history()).toEqual([
      ['stopped', 'unsubscribed'],
      ['stopped', 'bounced'],
    ]);
    expect(await other.may()).toBe('unsubscribed');
  });

  test('may hold a single event; temporary failures stop nothing', async () => {
    await postReport({ type: 'email.bounced', data: { to: [email], bounce: { type: 'Transient' } } });
    await postReport([{ event: 'bounce', email, type: 'blocked' }]);
    expect(await may()).toBeNull();
    await postReport({ type: 'email.bounced', data: { to: [email], bounce: { type: 'Permanent' } } });
    expect(await may()).toBe('bounced');
  });

  test('is rejected unsigned, late or malformed, and a replay changes nothing', async () => {
    const event = [{ event: 'bounce', email }];
    const responses = [
      await postReport(event, { secret: `whsec_${btoa('another')}` }),
      await postReport(event, { at: new Date(bench.clock.now().getTime() - 400_000) }),
      await postReport('not json'),
      await postReport({ event: 'bounce' }),
      await postReport(Array.from({ length: 1001 }, () => event[0])),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 400, 400, 400]);
    expect(await may()).toBeNull();
    const id = `msg_${newId()}`;
    await postReport(event, { id });
    await bench.settled();
    await note('allowed');
    await postReport(event, { id });
    expect(await may()).toBeNull();
  });
});
