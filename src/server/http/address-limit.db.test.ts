import { request as send } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { fixedClock } from '#dev/testing/fixed-clock.ts';
import { serveHandlers } from '#dev/testing/http-server.ts';
import type { Services } from '../core/context.ts';

const PER_ADDRESS = 8;

let clinic: Clinic;
let services: Services;
let server: { url: string; stop(): Promise<void> };
beforeAll(async () => {
  clinic = await withClinic({
    env: { RATE_LIMIT_PER_MINUTE: String(PER_ADDRESS / 4), TRUST_PROXY: '1' },
    overrides: { clock: fixedClock() },
  });
  ({ services } = clinic);
  server = await serveHandlers(services);
});
afterAll(async () => {
  await server?.stop();
  await clinic?.stop();
});

type RawResponse = { status: number; headers: Record<string, unknown>; text: string };

/** Announces a body and never sends it: a handler that reads the body would wait. */
function announce(method: string, path: string, from: string): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-forwarded-for': from,
      'content-type': path.includes('oauth2') ? 'application/x-www-form-urlencoded' : 'application/json',
      ...(method === 'POST' && { 'content-length': '1000' }),
    };
    const sent = send(`${server.url}${path}`, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode!, headers: response.headers, text });
        sent.destroy();
      });
    });
    sent.setTimeout(8000, () => sent.destroy(new Error('the body was waited for')));
    sent.on('error', reject);
    if (method === 'POST') sent.flushHeaders();
    else sent.end();
  });
}
const get = (path: string, from: string) => announce('GET', path, from);

describe('the limit per address', () => {
  test.each([
    ['/api/v1/patients', /"code":"rate_limited"/],
    ['/identity/credentials/sign_up', /"code":"rate_limited"/],
    ['/identity/oauth2/token', /^\{"error":"slow_down"/],
    ['/identity/oauth2/revoke', /^\{"error":"slow_down"/],
    ['/identity/oauth2/elsewhere', /"code":"rate_limited"/],
    ['/api/links/checkout.open', /"code":"rate_limited"/],
    ['/api/trpc/patients.create', /^\{"error":\{.*"code":"rate_limited"/],
    ['/api/auth/callback/credentials', /"code":"rate_limited"/],
  ])('returns 429 at %s before the body is read, in the format of the route', async (path, words) => {
    const from = `192.0.2.${path.length}`;
    for (let n = 0; n < PER_ADDRESS; n += 1) expect((await get('/identity/user', from)).status).toBe(401);
    const { status, headers, text } = await announce('POST', path, from);
    expect([status, headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(text).toMatch(words);
    expect((await get('/identity/user', '192.0.2.250')).status).not.toBe(429);
  });

  test('returns 429 for unsigned webhooks before their body is read', async () => {
    const from = '198.51.100.1';
    for (let n = 0; n < 300; n += 1) expect((await announceEmpty(from)).status).toBe(400);
    const { status, headers } = await announce('POST', '/api/webhooks/stripe', from);
    expect([status, headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });

  test('counts the whole /64 of an IPv6 address and no other', async () => {
    const within = (n: number) => `2001:db8:1:2:${n}::${n}`;
    for (let n = 0; n < PER_ADDRESS; n += 1) expect((await get('/identity/user', within(n))).status).toBe(401);
    expect((await get('/api/v1/patients', within(99))).status).toBe(429);
    expect((await get('/api/v1/patients', '2001:db8:1:3::1')).status).toBe(401);
  });
});

async function announceEmpty(from: string): Promise<{ status: number }> {
  return fetch(`${server.url}/api/webhooks/stripe`, {
    method: 'POST',
    headers: { 'x-forwarded-for': from },
    body: '{}',
  });
}
