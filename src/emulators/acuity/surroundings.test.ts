import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAcuityEmulator } from './index.ts';
import { bookingInput, CLINIC, MONDAY, startAccount, startReceiver, USER_ID } from './test-account.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const NOW = '2036-01-11T12:00:00Z';

test('webhooks are signed with the API key and carry the short or the long action', async () => {
  const { received, url } = await startReceiver();
  const { call } = await startAccount({ webhooks: [{ url, event: 'scheduled' }] }, { now: NOW });
  const hook = await call('POST', '/webhooks', { event: 'appointment.changed', target: url });
  expect(hook.body).toMatchObject({ event: 'appointment.changed', target: url, status: 'active' });
  const { id } = (await call('POST', '/appointments', bookingInput())).body;
  await expect.poll(() => received.length).toBe(2);
  const commonFields = { id: String(id), calendarID: '11', appointmentTypeID: '21' };
  expect(received.map(({ form }) => form)).toEqual(
    expect.arrayContaining([
      { action: 'scheduled', ...commonFields },
      { action: 'appointment.changed', ...commonFields },
    ]),
  );
  for (const { signature, body } of received) {
    expect(signature).toBe(createHmac('sha256', 'emulated-key').update(body).digest('base64'));
  }
  expect((await call('DELETE', `/webhooks/${hook.body.id}`)).status).toBe(204);
  expect((await call('GET', '/webhooks')).body).toEqual([]);
});

test('every lifecycle event sends its own webhook and a changed webhook', async () => {
  const { received, url } = await startReceiver();
  const { call } = await startAccount({ webhooks: [{ url }] }, { now: NOW });
  const { id } = (await call('POST', '/appointments', bookingInput())).body;
  await call('PUT', `/appointments/${id}/reschedule`, { datetime: `${MONDAY}T11:00:00-0500` });
  await call('PUT', `/appointments/${id}`, { phone: '1' });
  await call('PUT', `/appointments/${id}/cancel`, {});
  await expect.poll(() => received.length).toBe(7);
  expect(received.map(({ form }) => form.action).sort()).toEqual([
    'canceled',
    ...Array.from({ length: 4 }, () => 'changed'),
    'rescheduled',
    'scheduled',
  ]);
});

test('retries a webhook after a server error and not after a client error', async () => {
  const failing = await startReceiver([500, 503]);
  const rejecting = await startReceiver([400]);
  const webhooks = [failing, rejecting].map(({ url }) => ({ url, event: 'scheduled' as const }));
  const { call } = await startAccount({ webhooks }, { now: NOW, retryWaitsMs: [10, 10, 10] });
  await call('POST', '/appointments', bookingInput());
  await expect.poll(() => failing.received.length).toBe(3);
  expect(rejecting.received).toHaveLength(1);
});

test('rejects webhook targets on other ports, beyond 25 and for unknown events', async () => {
  const { call } = await startAccount();
  const create = (target: string, event = 'appointment.scheduled') => call('POST', '/webhooks', { event, target });
  expect((await create('https://clinic.example.test:8443/hook')).status).toBe(400);
  expect((await create('ftp://clinic.example.test/hook')).status).toBe(400);
  expect((await create('https://clinic.example.test/hook', 'appointment.invented')).status).toBe(400);
  for (let count = 0; count < 25; count++) expect((await create('https://clinic.example.test/hook')).status).toBe(200);
  expect((await create('https://clinic.example.test/hook')).status).toBe(400);
});

test('rejects the eleventh request within a second', async () => {
  const { call, control } = await startAccount({}, { rateLimit: true });
  const responses = await Promise.all(Array.from({ length: 15 }, () => call('GET', '/me')));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(responses.find(({ status }) => status === 429)?.body).toEqual({
    status_code: 429,
    error: 'too_many_requests',
    message: 'Rate limit reached. Limit 10req/s and 20 concurrent connections.',
  });
  await control('PUT', 'rate-limit', { enabled: false });
  expect((await call('GET', '/me')).status).toBe(200);
});

test('rejects requests beyond the concurrency limit', async () => {
  const { call, control } = await startAccount({}, { rateLimit: true });
  await control('PUT', 'rate-limit', { perSecond: 1000, concurrent: 3 });
  await control('PUT', 'latency', { ms: 200 });
  const responses = await Promise.all(Array.from({ length: 8 }, () => call('GET', '/me')));
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(5);
  await control('PUT', 'latency', { ms: 0 });
  expect((await call('GET', '/me')).status).toBe(200);
});

test('an account cannot read another account’s appointments', async () => {
  const { call, control, url } = await startAccount({}, { now: NOW });
  const { id } = (await call('POST', '/appointments', bookingInput())).body;
  await control('PUT', 'accounts/900200', { ...CLINIC, apiKey: 'other' });
  const headers = { authorization: `Basic ${btoa('900200:other')}` };
  expect((await fetch(`${url}/api/v1/appointments/${id}`, { headers })).status).toBe(404);
  expect(await (await fetch(`${url}/api/v1/appointments`, { headers })).json()).toEqual([]);
});

test('the clinic has a free slot on each of the next seven days, and its Location form on every type', async () => {
  const { running, control, call } = await startAccount({}, { rateLimit: false });
  const { body: account } = await control('PUT', `accounts/${USER_ID}`, { apiKey: 'emulated-key' });
  expect(account).toMatchObject({ name: 'Riverbend Clinic', timezone: 'America/New_York' });
  const [form] = account.forms;
  expect(form).toMatchObject({ name: 'Location', hidden: true, fields: [{ name: 'Location' }] });
  const today = running.world.clock.now();
  for (const type of account.types) {
    expect(form.appointmentTypeIDs).toContain(type.id);
    for (let day = 1; day <= 7; day++) {
      const date = new Date(today + day * 86_400_000).toISOString().slice(0, 10);
      const times = await call('GET', `/availability/times?date=${date}&appointmentTypeID=${type.id}`);
      expect(times.body.length).toBeGreaterThan(0);
    }
  }
  const { body: variant } = await control('PUT', 'accounts/900300', { apiKey: 'k', clinic: 'riverbend-with-walk-in' });
  const walkIn = variant.types.find(({ name }: { name: string }) => name === 'Walk-in screening');
  expect(variant.forms[0].appointmentTypeIDs).not.toContain(walkIn.id);
});

test('applies settings changes at once and rejects invalid ones', async () => {
  const { call, control } = await startAccount({}, { now: NOW });
  const times = async () =>
    (await call('GET', `/availability/times?date=${MONDAY}&appointmentTypeID=21&calendarID=11`)).body.length;
  expect((await control('PATCH', `accounts/${USER_ID}`, { hours: { 11: { monday: ['09:00-10:00'] } } })).status).toBe(
    200,
  );
  expect(await times()).toBe(2);
  expect((await control('PATCH', `accounts/${USER_ID}`, { hours: { 99: {} } })).status).toBe(400);
  expect((await control('PATCH', `accounts/${USER_ID}`, { timezone: 'Mars/Base' })).status).toBe(400);
  expect((await control('PATCH', 'accounts/1', {})).status).toBe(400);
  const invalid = { types: [{ id: 23, name: 'New', duration: 20, calendarIDs: [99] }] };
  expect((await control('PATCH', `accounts/${USER_ID}`, invalid)).body.error).toBe(
    'calendarIDs of type 23: there is no 99',
  );
  expect((await call('GET', '/appointment-types')).body).toHaveLength(2);
  expect((await control('PUT', 'accounts/abc', { apiKey: 'x' })).status).toBe(400);
});

test('keeps its state across restarts, and the configured key replaces a stored one', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'acuity-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const configured = (apiKey: string) => ({ dataDir, account: { userId: '900400', apiKey }, rateLimit: false });
  const first = await createAcuityEmulator(configured('one')).start();
  first.world.state.accounts['900400']!.name = 'Renamed Clinic';
  await fetch(`${first.url}/_emulator/clock`, { method: 'POST', body: '{"advance_seconds":1}', headers: JSON_TYPE });
  await first.stop();
  const second = await createAcuityEmulator(configured('two')).start();
  onTestFinished(() => second.stop());
  const response = await fetch(`${second.url}/api/v1/me`, {
    headers: { authorization: `Basic ${btoa('900400:two')}` },
  });
  expect(await response.json()).toMatchObject({ name: 'Renamed Clinic' });
});

test('a lost response still books, and the appointment can be looked up', async () => {
  const { call, control } = await startAccount({}, { now: NOW });
  await control('POST', 'faults', { match: { method: 'POST', path: '/api/v1/appointments' }, kind: 'reset_after' });
  await expect(call('POST', '/appointments', bookingInput())).rejects.toThrow();
  const search = await call('GET', `/appointments?email=ada@example.test&minDate=${MONDAY}&maxDate=${MONDAY}`);
  expect(search.body).toHaveLength(1);
});

test('the console books and cancels, and rejects other origins', async () => {
  const { received, url: hook } = await startReceiver();
  const { url } = await startAccount({ webhooks: [{ url: hook, event: 'scheduled' }] }, { now: NOW });
  const post = (path: string, body: object, origin = url) =>
    fetch(`${url}/console/${USER_ID}/appointments${path}`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({ ...body }),
      redirect: 'manual',
    });
  const page = async () => (await fetch(url)).text();
  const client = { firstName: '<b>Ada</b>', lastName: 'Example', email: '' };
  const booking = { appointmentTypeID: '21', calendarID: '12', datetime: `${MONDAY}T09:00`, ...client };
  expect((await post('', booking, 'http://elsewhere.example.test')).status).toBe(403);
  expect((await post('', booking)).status).toBe(303);
  await expect.poll(() => received.length).toBe(1);
  expect(await page()).toContain('January 14, 2036, 9:00am (America/Chicago)');
  expect(await page()).not.toContain('<b>Ada');
  expect((await post(`/${received[0]?.form.id}/cancel`, {})).status).toBe(303);
  expect(await page()).toContain('Nothing is booked');
});

test('records emails to clients unless the request passes noEmail', async () => {
  const { call, running } = await startAccount({}, { now: NOW });
  await call('POST', '/appointments?noEmail=true', bookingInput());
  expect(running.world.state.accounts[USER_ID]?.emails).toEqual([]);
  await call('POST', '/appointments', bookingInput({ datetime: `${MONDAY}T11:00:00-0500` }));
  expect(running.world.state.accounts[USER_ID]?.emails).toMatchObject([{ kind: 'scheduled', to: 'ada@example.test' }]);
});
