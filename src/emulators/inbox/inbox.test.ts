import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test } from 'vitest';
import { createInboxEmulator, type InboxEmulatorOptions } from './index.ts';
import type { Message } from './message.ts';

const TWILIO = { sid: 'AC00000000000000000000000000000001', token: 'emulated-token' };
const SENDER = '+12025550100';

async function startInbox(options: InboxEmulatorOptions = {}) {
  const running = await createInboxEmulator({ log: () => {}, ...options }).start();
  onTestFinished(() => running.stop());
  const read = async (query = '') => (await (await fetch(`${running.url}/messages${query}`)).json()) as Message[];
  const mail = (over: object = {}, auth?: { user: string; pass: string }) => {
    const transport = createTransport(running.smtpUrl, auth && { auth });
    onTestFinished(() => transport.close());
    const message = { from: 'Clinic <clinic@example.test>', to: 'ada@example.test', subject: 'Hello', text: 'A line' };
    return transport.sendMail({ ...message, ...over });
  };
  const sms = async (form: Record<string, string>, token = TWILIO.token) => {
    const response = await fetch(`${running.url}/2010-04-01/Accounts/${TWILIO.sid}/Messages.json`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${TWILIO.sid}:${token}`)}` },
      body: new URLSearchParams(form),
    });
    return { status: response.status, body: await response.json() };
  };
  return { running, read, mail, sms };
}

test('stores an email with its parts and every envelope recipient', async () => {
  const { mail, read, running } = await startInbox();
  const attachments = [{ filename: 'plan.pdf', content: Buffer.from('%PDF-') }];
  await mail({ subject: 'Ihr Termin: für Ada', html: '<p>A line</p>', bcc: 'hidden@example.test', attachments });
  const [message] = await read();
  expect(message).toMatchObject({
    kind: 'email',
    from: 'clinic@example.test',
    to: ['ada@example.test', 'hidden@example.test'],
    subject: 'Ihr Termin: für Ada',
    html: '<p>A line</p>',
    attachments: [{ filename: 'plan.pdf', mimeType: 'application/pdf', bytes: 5 }],
  });
  expect(message?.text).toBe('A line');
  expect(await (await fetch(`${running.url}/messages/${message?.id}`)).json()).toEqual(message);
});

test('lists messages newest first, filters them and deletes them', async () => {
  const { mail, sms, read, running } = await startInbox();
  await mail({ subject: 'first' });
  await mail({ subject: 'second', to: 'ben@example.test' });
  await sms({ To: '+12025550101', From: SENDER, Body: 'third' });
  expect((await read()).map(({ subject, text }) => subject || text)).toEqual(['third', 'second', 'first']);
  expect(await read('?to=BEN@example.test')).toMatchObject([{ subject: 'second' }]);
  expect(await read('?to=%2B12025550101&kind=sms')).toMatchObject([{ text: 'third', from: SENDER }]);
  expect(await read(`?since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  expect(await read(`?since=${(await read())[0]?.receivedAt}`)).not.toEqual([]);
  expect((await fetch(`${running.url}/messages?kind=fax`)).status).toBe(400);
  expect((await fetch(`${running.url}/messages?recipient=x`)).status).toBe(400);
  expect((await fetch(`${running.url}/messages/none`)).status).toBe(404);
  expect((await fetch(`${running.url}/messages`, { method: 'DELETE' })).status).toBe(204);
  expect(await read()).toEqual([]);
});

test('a waiting request returns as soon as a newer matching message arrives', async () => {
  const { sms, read, running } = await startInbox();
  const ada = '+12025550101';
  await sms({ To: ada, From: SENDER, Body: 'first' });
  const [{ id } = { id: '' }] = await read();
  expect(await read(`?to=${ada}&wait=20`)).toMatchObject([{ text: 'first' }]);
  expect(await read(`?to=%2B12025550101&after=${id}`)).toEqual([]);
  const begun = Date.now();
  expect(await read(`?after=${id}&wait=1`)).toEqual([]);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(990);
  const next = read(`?to=%2B12025550101&after=${id}&wait=20`);
  await sms({ To: '+12025550102', From: SENDER, Body: 'for another' });
  await sms({ To: ada, From: SENDER, Body: 'second' });
  expect(await next).toMatchObject([{ text: 'second' }]);
  // Returned before its wait of 20 seconds was over.
  expect(Date.now() - begun).toBeLessThan(20 * 1000);
  const future = new Date(Date.now() + 60_000).toISOString();
  expect(await read(`?after=${future}`)).toEqual([]);
  expect((await read(`?after=${new Date(begun).toISOString()}`)).map(({ text }) => text)).toEqual([
    'second',
    'for another',
  ]);
  for (const wrong of ['after=first', 'wait=31', 'wait=-1', 'wait=soon', 'wait=1.5', 'wait=', 'since=msg_1'])
    expect([wrong, (await fetch(`${running.url}/messages?${wrong}`)).status]).toEqual([wrong, 400]);
});

test('allows 100 waiting requests, returns 429 beyond that, and frees the place of a disconnected client', async () => {
  const { sms, running } = await startInbox();
  const waitForMessage = (signal?: AbortSignal) => fetch(`${running.url}/messages?wait=20`, signal ? { signal } : {});
  const controller = new AbortController();
  const disconnected = waitForMessage(controller.signal);
  const waiting = Array.from({ length: 120 }, () => waitForMessage());
  const rejected = await Promise.race(waiting);
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await rejected.json()).toEqual({ error: expect.stringMatching(/^100 requests wait/) });
  // A request without `wait` is still served.
  expect(await (await fetch(`${running.url}/messages`)).json()).toEqual([]);
  controller.abort();
  await expect(disconnected).rejects.toThrow();
  await expect.poll(async () => (await fetch(`${running.url}/messages?wait=1`)).status).toBe(200);
  await sms({ To: '+12025550101', From: SENDER, Body: 'at last' });
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(99);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(20);
});

test('records the tenant and staff headers of an email or text, and filters by tenant', async () => {
  const { mail, read, running } = await startInbox();
  const headers = { 'x-carelane-tenant': 'riverbend', 'X-Carelane-Staff': 'riley' };
  await mail({ headers });
  await mail({ headers: ['riverbend', 'hillside'].map((value) => ({ key: 'X-Carelane-Tenant', value })) });
  await fetch(`${running.url}/2010-04-01/Accounts/${TWILIO.sid}/Messages.json`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${TWILIO.sid}:${TWILIO.token}`)}`, 'x-carelane-tenant': 'riverbend' },
    body: new URLSearchParams({ To: '+12025550101', From: SENDER, Body: 'x' }),
  });
  await mail();
  const headersOf = (messages: Message[]) => messages.map(({ kind, tenant, staff }) => [kind, tenant, staff]);
  const expected = [
    ['sms', 'riverbend', null],
    ['email', 'riverbend', 'riley'],
  ];
  expect(headersOf(await read())).toEqual([['email', null, null], expected[0], ['email', null, null], expected[1]]);
  expect(headersOf(await read('?tenant=riverbend'))).toEqual(expected);
  expect(await read('?tenant=')).toEqual([]);
});

test('no route serves a page of another origin', async () => {
  const { mail, running } = await startInbox();
  await mail();
  const addresses = ['GET /', 'GET /messages', 'GET /messages/msg_1', 'DELETE /messages', 'GET /_emulator/state'];
  for (const address of [...addresses, `POST /2010-04-01/Accounts/${TWILIO.sid}/Messages.json`]) {
    const [method, path] = address.split(' ') as [string, string];
    const response = await fetch(running.url + path, { method, headers: { origin: 'https://elsewhere.example.test' } });
    expect([address, response.status, await response.text()]).toEqual([
      address,
      403,
      expect.not.stringContaining('ada'),
    ]);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  }
  expect(running.world.state.messages).toHaveLength(1);
});

test('an SMTP server with a login rejects unauthenticated clients', async () => {
  const { mail, read } = await startInbox({ smtpLogin: { user: 'clinic', password: 'secret' } });
  await expect(mail()).rejects.toThrow();
  await expect(mail({}, { user: 'clinic', pass: 'wrong' })).rejects.toMatchObject({ responseCode: 535 });
  await mail({}, { user: 'clinic', pass: 'secret' });
  expect(await read()).toHaveLength(1);
});

test('rejects an email temporarily on request, and always when it is too large', async () => {
  const { mail, read, running } = await startInbox();
  await fetch(`${running.url}/_emulator/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'refuse_mail', times: 1 }),
  });
  await expect(mail()).rejects.toMatchObject({ responseCode: 451 });
  await expect(mail({ text: 'x'.repeat(3_000_000) })).rejects.toMatchObject({ responseCode: 552 });
  await mail();
  expect(await read()).toHaveLength(1);
});

test('responds to a text message as Twilio does', async () => {
  const { sms } = await startInbox({ twilio: TWILIO });
  const { status, body } = await sms({ To: '+12025550101', From: SENDER, Body: 'Your code is 123456' });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    sid: expect.stringMatching(/^SM[0-9a-f]{32}$/),
    account_sid: TWILIO.sid,
    status: 'queued',
    num_segments: '1',
    error_code: null,
    body: 'Your code is 123456',
  });
});

test.each([
  [21604, { From: SENDER, Body: 'x' }],
  [21603, { To: '+12025550101', Body: 'x' }],
  [21602, { To: '+12025550101', From: SENDER }],
  [21617, { To: '+12025550101', From: SENDER, Body: 'x'.repeat(1601) }],
  [21211, { To: '5550101', From: SENDER, Body: 'x' }],
  [21212, { To: '+12025550101', From: '123!', Body: 'x' }],
  [21610, { To: '+15005550004', From: SENDER, Body: 'x' }],
  [20001, { To: '+12025550101', From: SENDER, Body: 'x', Text: 'x' }],
])('rejects a text message with %i', async (code, form) => {
  const { sms, read } = await startInbox();
  const { status, body } = await sms(form as unknown as Record<string, string>);
  expect({ status, code: body.code, more: body.more_info }).toEqual({
    status: 400,
    code,
    more: `https://www.twilio.com/docs/errors/${code}`,
  });
  expect(await read()).toEqual([]);
});

test('a wrong token sends nothing', async () => {
  const { sms, read } = await startInbox({ twilio: TWILIO });
  const { status, body } = await sms({ To: '+12025550101', From: SENDER, Body: 'x' }, 'wrong');
  expect({ status, code: body.code, message: body.message }).toEqual({
    status: 401,
    code: 20003,
    message: 'Authenticate',
  });
  expect(await read()).toEqual([]);
});

test('the inbox page shows links and never renders a message’s markup', async () => {
  const { mail, running } = await startInbox();
  await mail({ subject: '<script>alert(1)</script>', text: 'Go to https://clinic.example.test/i?a=1&b=2 now' });
  const page = await fetch(running.url);
  const html = await page.text();
  expect(html).toContain('&lt;script&gt;');
  expect(html).not.toContain('<script>');
  expect(html).toContain('<a href="https://clinic.example.test/i?a=1&amp;b=2">');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('stores only the newest thousand messages', async () => {
  const { sms, read, running } = await startInbox();
  const { messages } = running.world.state;
  await sms({ To: '+12025550101', From: SENDER, Body: 'first' });
  for (let count = 0; count < 999; count++) messages.push({ ...messages[0]!, id: `filler_${count}` });
  await sms({ To: '+12025550101', From: SENDER, Body: 'last' });
  const stored = await read();
  expect(stored).toHaveLength(1000);
  expect(stored[0]?.text).toBe('last');
  expect(stored.some(({ id }) => id === 'msg_1')).toBe(false);
});

test('STOP blocks the sender that received it, as Twilio does, until START, and the webhook receives both', async () => {
  const received: { signature: string; form: Record<string, string> }[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({
      signature: String(request.headers['x-twilio-signature']),
      form: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
    });
    response.writeHead(200, { 'content-type': 'text/xml' }).end('<Response><Message>Noted.</Message></Response>');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void receiver.close());
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const { running, sms, read } = await startInbox({ twilio: { ...TWILIO, webhookUrl } });
  const [ada, otherSender] = ['+12025550142', '+12025550198'];
  const reply = async (text: unknown) => {
    const newest = (await read()).find(({ from }) => from === SENDER);
    return fetch(`${running.url}/messages/${newest?.id}/reply`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });
  };
  await sms({ To: ada, From: SENDER, Body: 'A reminder' });
  expect((await reply('')).status).toBe(400);
  expect(await (await reply('stop')).json()).toEqual({ webhook: 200 });
  expect((await read()).map(({ text }) => text)[0]).toMatch(/^You have successfully been unsubscribed/);
  expect((await sms({ To: ada, From: SENDER, Body: 'Another' })).body.code).toBe(21610);
  expect((await sms({ To: ada, From: otherSender, Body: 'A code' })).status).toBe(201);
  await reply('START');
  // The webhook's message is delivered once START has unblocked the sender.
  expect((await read()).map(({ text }) => text)[0]).toBe('Noted.');
  expect((await sms({ To: ada, From: SENDER, Body: 'Another' })).status).toBe(201);
  expect(received.map(({ form }) => [form.From, form.To, form.Body])).toEqual([
    [ada, SENDER, 'stop'],
    [ada, SENDER, 'START'],
  ]);
  const { form, signature } = received[0]!;
  const signed =
    webhookUrl +
    Object.keys(form)
      .sort()
      .map((name) => name + form[name])
      .join('');
  expect(signature).toBe(createHmac('sha1', TWILIO.token).update(signed).digest('base64'));
});
