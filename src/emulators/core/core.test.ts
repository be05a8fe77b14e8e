import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { createEmulator, type EmulatorOptions, type RunningEmulator } from './emulator.ts';
import { decodeForm } from './form.ts';
import { matchPath } from './route.ts';

interface Counter {
  count: number;
}

const running: RunningEmulator<Counter>[] = [];
const logged: string[] = [];

async function start(options: Partial<EmulatorOptions<Counter>> = {}): Promise<RunningEmulator<Counter>> {
  const emulator = await createEmulator<Counter>({
    name: 'counter',
    initialState: () => ({ count: 0 }),
    routes: [
      { method: 'GET', path: '/count', handle: (_, { state }) => ({ status: 200, body: state }) },
      {
        method: 'POST',
        path: '/count/:step',
        handle({ params }, { state }) {
          state.count += Number(params.step);
          return { status: 201, body: state };
        },
      },
    ],
    errorShape: ({ status, code }) => ({ status, body: { error: code } }),
    log: (line) => logged.push(line),
    ...options,
  }).start();
  running.push(emulator);
  return emulator;
}

afterEach(async () => {
  for (const emulator of running.splice(0)) await emulator.stop();
});

const post = (url: string, body?: object) =>
  fetch(url, { method: 'POST', body: JSON.stringify(body ?? {}), headers: { 'content-type': 'application/json' } });

async function waitUntil(condition: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 200 && !condition(); attempt++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(condition()).toBe(true);
}

test('decodeForm reads bracketed keys, indexes and empty brackets', () => {
  const text = 'items[0][price]=p&items[1][price]=q&expand[]=a&expand[]=b&metadata[k]=v&plain=1';
  expect(decodeForm(text)).toEqual({
    items: [{ price: 'p' }, { price: 'q' }],
    expand: ['a', 'b'],
    metadata: { k: 'v' },
    plain: '1',
  });
});

test('decodeForm rejects prototype keys and keys that hold both a value and a hash', () => {
  expect(() => decodeForm('a[__proto__][x]=1')).toThrow('Invalid key');
  expect(() => decodeForm('a=1&a[b]=2')).toThrow('both a value and a hash');
  expect(decodeForm('constructor[name]=x')).toEqual({ constructor: { name: 'x' } });
});

test('matchPath matches the whole path, with named segments and a final wildcard', () => {
  expect(matchPath('/v1/a/:id', '/v1/a/x%20y')).toEqual({ id: 'x y' });
  expect(matchPath('/v1/*', '/v1/a/b')).toEqual({});
  expect(matchPath('/v1/a/:id', '/v1/a/')).toBeNull();
  expect(matchPath('/v1/a', '/v1/a/b')).toBeNull();
});

test('rejects an unknown path and an unreadable body in the provider’s shape, and logs the unknown path', async () => {
  const { url } = await start();
  const unknown = await post(`${url}/nothing`);
  expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'unknown_path' }]);
  expect(logged.at(-1)).toContain('POST /nothing is not emulated');
  const invalid = await fetch(`${url}/count/1`, {
    method: 'POST',
    body: '{',
    headers: { 'content-type': 'application/json' },
  });
  expect([invalid.status, await invalid.json()]).toEqual([400, { error: 'bad_body' }]);
});

test('keeps its state across restarts; a reset clears it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'emulator-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const first = await start({ dataDir });
  await post(`${first.url}/count/2`);
  await post(`${first.url}/_emulator/clock`, { advance_seconds: 60 });
  await first.stop();
  const second = await start({ dataDir });
  expect(await (await fetch(`${second.url}/count`)).json()).toEqual({ count: 2 });
  expect(second.world.clock.offsetMs).toBe(60_000);
  await post(`${second.url}/_emulator/reset`);
  expect(await (await fetch(`${second.url}/count`)).json()).toEqual({ count: 0 });
  expect(second.world.clock.offsetMs).toBe(0);
});

test('the clock only moves forward, and each move runs onClockMoved', async () => {
  const seen: number[] = [];
  const { url, world } = await start({ onClockMoved: ({ clock }) => seen.push(clock.now()) > 0 });
  await post(`${url}/_emulator/clock`, { advance_seconds: 3600 });
  expect(seen.at(-1)).toBeGreaterThanOrEqual(Date.now() + 3_599_000);
  expect((await post(`${url}/_emulator/clock`, { advance_seconds: -1 })).status).toBe(400);
  expect((await post(`${url}/_emulator/clock`, { set: new Date().toISOString() })).status).toBe(400);
  expect((await post(`${url}/_emulator/clock`, { forward: 1 })).status).toBe(400);
  expect(world.clock.offsetMs).toBe(3_600_000);
});

test('rejects pages of other origins unless CORS is enabled, and always on control routes', async () => {
  const open = await start({ cors: true });
  const closed = await start();
  const from = (origin: string, url: string, method = 'GET') =>
    fetch(url, { method, headers: { origin } }).then(({ status, headers }) => [
      status,
      headers.get('access-control-allow-origin'),
    ]);
  const otherOrigin = 'https://elsewhere.example.test';
  for (const origin of [otherOrigin, 'null', open.url.replace('127.0.0.1', 'localhost')]) {
    expect(await from(origin, `${open.url}/_emulator/reset`, 'POST')).toEqual([403, null]);
    expect(await from(origin, `${closed.url}/count`)).toEqual([403, null]);
    expect(await from(origin, `${closed.url}/count/1`, 'POST')).toEqual([403, null]);
    expect(await from(origin, `${closed.url}/nothing`)).toEqual([403, null]);
  }
  expect(await from(otherOrigin, `${open.url}/count`)).toEqual([200, '*']);
  for (const { url } of [open, closed]) {
    expect((await from(url, `${url}/_emulator/reset`, 'POST'))[0]).toBe(200);
    expect((await from(url, `${url}/count`))[0]).toBe(200);
  }
});

/** Sends headers that a browser script cannot set. */
const getStatus = (url: string, headers: Record<string, string>) =>
  new Promise((resolve, reject) => {
    get(url, { headers }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });

test('rejects embeds from other origins and allows navigation by link', async () => {
  const { url } = await start();
  const embedded = (site: string, mode: string, dest: string) =>
    getStatus(`${url}/count`, { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest });
  for (const site of ['cross-site', 'same-site']) {
    expect(await embedded(site, 'no-cors', 'script')).toBe(403);
    expect(await embedded(site, 'no-cors', 'image')).toBe(403);
    expect(await embedded(site, 'navigate', 'iframe')).toBe(403);
    expect(await embedded(site, 'navigate', 'document')).toBe(200);
  }
  expect(await embedded('same-origin', 'no-cors', 'image')).toBe(200);
  expect(await embedded('none', 'navigate', 'document')).toBe(200);
});

test('rejects a Host name other than localhost or an IP address (DNS rebinding)', async () => {
  for (const { url } of [await start(), await start({ cors: true })]) {
    const { port } = new URL(url);
    for (const path of ['/_emulator/state', '/count']) {
      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
        expect(await getStatus(url + path, { host })).toBe(200);
      for (const host of [`elsewhere.example.test:${port}`, '127.0.0.1.example.test'])
        expect(await getStatus(url + path, { host })).toBe(403);
    }
  }
});

test('a fault applies to matching requests only, for the given number of times', async () => {
  const { url } = await start();
  await post(`${url}/_emulator/faults`, { match: { method: 'post', path: '/count/:step' }, kind: '503', times: 2 });
  const statuses = [
    (await fetch(`${url}/count`)).status,
    (await post(`${url}/count/1`)).status,
    (await post(`${url}/count/1`)).status,
    (await post(`${url}/count/1`)).status,
  ];
  expect(statuses).toEqual([200, 503, 503, 201]);
  await post(`${url}/_emulator/faults`, { match: { path: '/count', query: { of: '7', by: '*' } }, kind: '503' });
  const matched = [];
  for (const query of ['', '?of=7', '?of=8&by=1', '?of=7&by=1', '?of=7&by=1'])
    matched.push((await fetch(`${url}/count${query}`)).status);
  expect(matched).toEqual([200, 200, 200, 503, 200]);
  expect((await post(`${url}/_emulator/faults`, { kind: '500', match: { query: { of: 7 } } })).status).toBe(400);
  expect((await post(`${url}/_emulator/faults`, { kind: 'meteor' })).status).toBe(400);
  expect((await post(`${url}/_emulator/faults`, { kind: '500', math: {} })).status).toBe(400);
});

test.each([
  ['timeout_before', 0],
  ['reset_before', 0],
  ['timeout_after', 1],
  ['reset_after', 1],
  ['truncated', 1],
])('%s loses the response with %i effect', async (kind, effects) => {
  const { url, world } = await start();
  await post(`${url}/_emulator/faults`, { match: { path: '/count/:step' }, kind, holdMs: 50 });
  await expect(post(`${url}/count/1`).then((response) => response.json())).rejects.toThrow();
  expect(world.state.count).toBe(effects);
});

test('a response can be slowed down or replaced by an unexpected body', async () => {
  const { url } = await start();
  const fault = (kind: string) => post(`${url}/_emulator/faults`, { match: { path: '/count' }, kind, holdMs: 100 });
  await fault('slow_drip');
  const begun = Date.now();
  expect(await (await fetch(`${url}/count`)).json()).toEqual({ count: 0 });
  expect(Date.now() - begun).toBeGreaterThan(50);
  await fault('wrong_schema');
  expect(await (await fetch(`${url}/count`)).json()).toEqual({ unexpected: true });
});

test('signs each webhook attempt separately, retries until accepted, logs it and resends it on request', async () => {
  const received: { signature: string | undefined; body: string }[] = [];
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ signature: request.headers['x-signature'] as string, body });
    response.writeHead(received.length < 3 ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  let signed = 0;
  const { url, world } = await start({
    webhooks: { sign: () => ({ 'x-signature': String(++signed) }), retryWaitsMs: [10, 10, 10] },
  });
  const message = { url: target, event: 'count.changed', body: '{"a":1}', contentType: 'application/json', keyId: 'k' };
  const delivery = world.webhooks.send(message);
  await waitUntil(() => delivery.status === 'delivered');
  expect(delivery.attempts.map(({ status }) => status)).toEqual([500, 500, 200]);
  expect(received.map(({ signature }) => signature)).toEqual(['1', '2', '3']);
  await post(`${url}/_emulator/trigger`, { name: 'resend', delivery: delivery.id });
  await waitUntil(() => received.length === 4);
  expect(received.at(-1)?.body).toBe('{"a":1}');
  receiver.close();
  const failed = world.webhooks.send(message);
  await waitUntil(() => failed.status === 'failed');
  expect(failed.attempts).toHaveLength(4);
});

test('a trigger runs one of the emulator’s own controls and rejects unknown names', async () => {
  const { url } = await start({
    controls: {
      double: (_, { state }) => {
        state.count *= 2;
        return state;
      },
    },
  });
  await post(`${url}/count/4`);
  expect(await (await post(`${url}/_emulator/trigger`, { name: 'double' })).json()).toEqual({ count: 8 });
  const response = await post(`${url}/_emulator/trigger`, { name: 'toString' });
  expect([response.status, (await response.json()).error]).toEqual([
    400,
    'No trigger toString; there are: resend, double',
  ]);
});
