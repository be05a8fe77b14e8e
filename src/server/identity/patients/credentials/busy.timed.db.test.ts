import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { prove, signInWithPassword } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, PASSWORD, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import { assertRateLimit } from '../../../core/rate-limiter.ts';
import { POWER_THREADS } from '../../srp/powers.ts';

const WAITING = 100 * POWER_THREADS;
const FEW_SECONDS = 5_000;

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;
let email: string;
let owner: SignedIn;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic);
  email = people.newEmail();
  owner = await people.byEmail(email);
  await bench.services.identity.srp.power(1n);
});
afterAll(() => bench?.stop());

let count = 0;
/** The first step of a password sign-in, for an unknown email and from its own source. */
function unauthenticatedStart(): Promise<TestResponse> {
  count += 1;
  const body = { client_id: clinic.credentials, email: `unknown${count}@example.test`, A: '2a' };
  return bench.post('/credentials/srp/start', body, {
    headers: { 'x-forwarded-for': `198.18.${count >> 8}.${count % 256}` },
  });
}

/** Blocks the queue until the result is called. */
function holdQueue(): () => void {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  while (!bench.services.identity.proofs.isBusy()) void bench.services.identity.proofs.run(() => until);
  onTestFinished(release);
  return release;
}

async function fillQueue(): Promise<Promise<TestResponse>[]> {
  const waiting = Array.from({ length: WAITING }, unauthenticatedStart);
  while (!bench.services.identity.proofs.isFull(false)) await pause(10);
  return waiting;
}

test('a sign-in that finds the queue full gets a retry time, and nothing of it is used up', async () => {
  const { body } = await prove(bench, clinic.credentials, email, PASSWORD);
  const release = holdQueue();
  const waiting = await fillQueue();
  const responses = [await unauthenticatedStart(), await bench.post('/credentials/srp/finish', body)];
  for (const { status, headers, body } of responses) {
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body).toEqual({
      errors: [{ status: '503', code: 'service_busy', title: 'Service busy', detail: expect.any(String) }],
      request_id: headers.get('request-id'),
    });
  }
  release();
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]));
  expect((await bench.post('/credentials/srp/finish', body)).status).toBe(200);
});

test('rate limits come before the queue, and an invalid handshake does not wait in it', async () => {
  const release = holdQueue();
  const waiting = await fillQueue();
  const key = [clinic.ctx.tenantId, '203.0.113.9'];
  for (let n = 0; n < 300; n++) assertRateLimit(bench.services, { name: 'srp_starts', key });
  const body = { client_id: clinic.credentials, email, A: '2a' };
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  expect(errorOf(await bench.post('/credentials/srp/start', body, { headers }))).toEqual([429, 'rate_limited']);
  const handshake = `${owner.device.split('.')[0]}.${'A'.repeat(43)}`;
  const response = await bench.post('/credentials/srp/finish', { handshake, M1: '0'.repeat(64) });
  expect(errorOf(response)).toEqual([409, 'expired_handshake']);
  release();
  await Promise.all(waiting);
});

test('a known device has priority over unknown ones; an invented device has none', async () => {
  const release = holdQueue();
  const waiting = await fillQueue();
  let served = 0;
  for (const one of waiting) one.then(() => (served += 1));
  const [, secret] = owner.device.split('.');
  const body = { client_id: clinic.credentials, email, A: '2a' };
  const invented = await bench.post('/credentials/srp/start', {
    ...body,
    device: `${owner.device.split('.')[0]}.${[...secret!].reverse().join('')}`,
  });
  expect(errorOf(invented)).toEqual([503, 'service_busy']);
  const otherAccount = await bench.post('/credentials/srp/start', {
    ...body,
    email: 'unknown@example.test',
    device: owner.device,
  });
  expect(errorOf(otherAccount)).toEqual([503, 'service_busy']);
  const knownDevice = bench.post('/credentials/srp/start', { ...body, device: owner.device });
  await pause(200);
  release();
  expect((await knownDevice).status).toBe(200);
  expect(served).toBeLessThan(WAITING / 2);
  await Promise.all(waiting);
});

test('a known device signs in within a few seconds during a flood of unknown devices', {
  timeout: 60_000,
}, async () => {
  let isRunning = true;
  const seen = new Set<number>();
  const flood = Array.from({ length: 2 * WAITING }, async () => {
    while (isRunning) seen.add((await unauthenticatedStart()).status);
  });
  await pause(500);
  const startedAt = performance.now();
  const { credentials } = clinic;
  const response = await signInWithPassword(bench, credentials, email, PASSWORD, {}, undefined, owner.device);
  const durationMs = performance.now() - startedAt;
  isRunning = false;
  await Promise.all(flood);
  expect(response.status).toBe(200);
  if (process.env.PROVE) expect(durationMs).toBeLessThan(FEW_SECONDS);
  expect(seen).toEqual(new Set([200, 503]));
});
