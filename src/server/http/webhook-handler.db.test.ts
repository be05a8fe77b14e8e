import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { newId } from '#server/core/ids.ts';
import type { Handler } from './handler.ts';
import { createWebhookHandler } from './webhook-handler.ts';

let clinic: Clinic<'acuity'>;
let handler: Handler;
beforeAll(async () => {
  clinic = await withClinic({ acuity: true });
  handler = createWebhookHandler(clinic.services);
});
afterAll(() => clinic?.stop());

const sign = (body: string, key: string) => createHmac('sha256', key).update(body).digest('base64');
async function deliver(body: string, signature: string, { tenantId = clinic.tenant.id, ip = '192.0.2.1' } = {}) {
  const response = await handler({
    method: 'POST',
    path: `/api/webhooks/acuity/${tenantId}`,
    query: new URLSearchParams(),
    header: (name) => (name === 'x-acuity-signature' ? signature : null),
    body: async () => new TextEncoder().encode(body),
    ip,
  });
  return response.status;
}
const signed = (body: string) => deliver(body, sign(body, clinic.acuity.account.api_key));

test('returns 401 for an event signed with another key or for another tenant', async () => {
  const body = 'action=changed&id=1';
  expect(await signed(body)).toBe(200);
  expect(await deliver(body, sign(body, 'another key'))).toBe(401);
  expect(await deliver(body, sign(body, clinic.acuity.account.api_key), { tenantId: newId() })).toBe(401);
});

test('accepts the tenant’s id in upper case', async () => {
  const body = 'action=changed&id=1';
  const tenantId = clinic.tenant.id.toUpperCase();
  expect(tenantId).not.toBe(clinic.tenant.id);
  expect(await deliver(body, sign(body, clinic.acuity.account.api_key), { tenantId })).toBe(200);
  expect(await deliver(body, sign(body, 'another key'), { tenantId })).toBe(401);
});

test('returns 400 for an event without a valid id', async () => {
  for (const id of ['', 'x', '-1', '1e3', '2147483648', '999999999999999'])
    expect(await signed(`action=changed&id=${id}`), id).toBe(400);
});

test('rate-limits unsigned events by source and lets others through', async () => {
  const sendUnsigned = () => deliver('action=changed&id=1', 'wrong', { ip: '198.51.100.1' });
  expect(await sendUnsigned()).toBe(401);
  let tries = 1;
  // Twice the limit, because the minute may end in between.
  while (tries < 700 && (await sendUnsigned()) === 401) tries += 1;
  expect(tries).toBeLessThan(700);
  for (let n = 0; n < 3; n += 1) expect(await signed('action=changed&id=1')).toBe(200);
});
