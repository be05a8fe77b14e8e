import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { newAttempt } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import { personKey } from '../person.ts';
import { makeChallenge } from './count-send.ts';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let nextLine = 200;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
});
afterAll(() => bench?.stop());

const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });
const HERE = '198.51.100.1';
const requestCode = (phone_number: string, ip = HERE, more: object = {}) =>
  bench.post('/passwordless/sign_in', { client_id: clinic.passwordless, phone_number, ...more }, from(ip));
/** Includes the proof of work that is required after many requests of other sources. */
function requestWithWork(phone_number: string, ip = HERE): Promise<TestResponse> {
  const { ctx } = clinic;
  const bound = { person: personKey(ctx, phone_number), source: personKey(ctx, ip) };
  return requestCode(phone_number, ip, { proof_of_work: { challenge: makeChallenge(ctx, bound, 0), nonce: '' } });
}
/** Inserts as many requests of other sources as need no proof of work in a day. */
async function requestedElsewhere(number: string): Promise<void> {
  const { db, tenantId } = clinic.ctx;
  await db.codeSend.createMany({
    data: Array.from({ length: 20 }, () => ({
      ...{ id: newId(), tenantId, person: personKey(clinic.ctx, number), source: newId() },
      ...{ purpose: 'sign_in', sentAt: bench.clock.now() },
    })),
  });
}
const enterCode = (requested: TestResponse, code: string) =>
  bench.post('/passwordless/complete', { challenge: requested.body.challenge, code });
const sentTo = async (to: string) => {
  await bench.settled();
  return (await bench.messages(to)).length;
};

/** Signs a number up and, unless `waits`, signs it in. */
async function addNumber(waits = false): Promise<string> {
  const phone_number = `+120255501${String(nextLine++ % 100).padStart(2, '0')}`;
  const attempt = newAttempt();
  await bench.post('/passwordless/sign_up', { client_id: clinic.passwordless, phone_number, attempt });
  if (!waits) await enterCode(await requestCode(phone_number, '192.0.2.1'), await bench.codeFor(phone_number));
  return phone_number;
}
/** Requests two codes from one source, after unknown sources have used up the requests without proof of work. */
async function requestTwice(number: string, between = 31 * SECOND) {
  await requestedElsewhere(number);
  const first = await requestWithWork(number);
  const code = await bench.codeFor(number);
  const before = await sentTo(number);
  bench.clock.pass(between);
  const second = await requestWithWork(number);
  expect(second.status).toBe(200);
  return { first, code, second, more: (await sentTo(number)) - before };
}

test.each([
  ['at once', 31 * SECOND],
  ['when the first code has run out', 6 * MINUTE],
  ['hours later', 5 * HOUR],
])(
  'after 20 requests, a second request of an unknown source %s sends no message, and the sent code works for it',
  async (_, span) => {
    const { first, code, second, more } = await requestTwice(await addNumber(), span);
    expect(more).toBe(0);
    expect((await enterCode(second, code)).status).toBe(200);
    // One message allows one session, for either of the two challenges.
    expect((await enterCode(first, code)).status).toBe(422);
  },
);

test('the sent code stays six digits long after 20 requests of other sources', async () => {
  const number = await addNumber();
  await requestCode(number);
  const code = await bench.codeFor(number);
  const before = await sentTo(number);
  await requestedElsewhere(number);
  bench.clock.pass(31 * SECOND);
  const second = await requestWithWork(number);
  expect([code.length, (await sentTo(number)) - before]).toEqual([6, 0]);
  expect((await enterCode(second, code)).status).toBe(200);
});

test('concurrent uses for both challenges create one session', async () => {
  for (let round = 0; round < 5; round++) {
    const { first, code, second } = await requestTwice(await addNumber());
    const responses = await Promise.all([
      enterCode(first, code),
      enterCode(second, code),
      enterCode(first, code),
      enterCode(second, code),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
  }
});

test('attempts for both challenges count together, also when concurrent; then another code is sent', async () => {
  const number = await addNumber();
  const { first, code, second } = await requestTwice(number);
  const wrong = String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');
  const guesses = await Promise.all(Array.from({ length: 5 }, (_, n) => enterCode(n % 2 ? first : second, wrong)));
  expect(guesses.map(({ body }) => body.errors[0].code)).toEqual(Array(5).fill('invalid_code'));
  for (const requested of [first, second])
    expect((await enterCode(requested, code)).body?.errors?.[0].code).toBe('invalid_code');
  bench.clock.pass(MINUTE);
  const before = await sentTo(number);
  const third = await requestWithWork(number);
  const next = await bench.codeFor(number);
  expect(await sentTo(number)).toBe(before + 1);
  expect((await enterCode(third, next)).status).toBe(200);
});

test('use for the first challenge ends the wait of both', async () => {
  const number = await addNumber();
  const { first, code } = await requestTwice(number);
  expect((await enterCode(first, code)).status).toBe(200);
  const before = await sentTo(number);
  expect((await requestWithWork(number)).status).toBe(200);
  expect(await sentTo(number)).toBe(before + 1);
});

test('a number that has never signed in gets no further message either', async () => {
  const { second, more, code } = await requestTwice(await addNumber(true));
  expect(more).toBe(0);
  expect((await enterCode(second, code)).status).toBe(200);
});

test('within 20 requests, a second request of a source sends another code, valid for that request only', async () => {
  const number = await addNumber();
  const first = await requestCode(number);
  const code = await bench.codeFor(number);
  bench.clock.pass(31 * SECOND);
  const second = await requestCode(number);
  const next = await bench.codeFor(number);
  expect(await sentTo(number)).toBe(3);
  if (next !== code) expect((await enterCode(second, code)).status).toBe(422);
  expect((await enterCode(second, next)).status).toBe(200);
  expect((await enterCode(first, code)).status).toBe(200);
});

/** Simulates Twilio's status callback for the newest text message. */
async function report(to: string, status: string): Promise<void> {
  const inbox = bench.services.config.inboxUrl;
  const [text] = (await (await fetch(`${inbox}/messages?kind=sms&to=${encodeURIComponent(to)}`)).json()) as {
    id: string;
  }[];
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ status });
  const response = await fetch(`${inbox}/messages/${text!.id}/status`, { method: 'POST', headers, body });
  expect(await response.json()).toEqual({ webhook: 200 });
}
/** Waits for the inbox's delivery report, then resets the newest text message to unreported. */
async function unreported(to: string, outcome: 'sent' | null = 'sent'): Promise<void> {
  const { db } = clinic.ctx;
  const where = { texted: true, person: personKey(clinic.ctx, to), answeredAt: null };
  await expect.poll(() => db.codeSend.findFirst({ where })).toMatchObject({ outcome: 'delivered' });
  await db.codeSend.updateMany({ where, data: { outcome } });
}

test.each([
  ['reported as lost by Twilio is followed by another', 'undelivered', 1],
  ['reported as delivered by Twilio is not', 'delivered', 0],
])('a text %s', async (_, status, more) => {
  const number = await addNumber();
  await requestedElsewhere(number);
  await requestWithWork(number);
  const before = await sentTo(number);
  await unreported(number);
  await report(number, status);
  bench.clock.pass(31 * SECOND);
  const { status: workStatus } = await requestWithWork(number);
  expect([workStatus, (await sentTo(number)) - before]).toEqual([200, more]);
});

test.each([
  ['is not followed by another while it may still arrive', 2 * MINUTE, 0],
  ['is followed by another after five minutes', 6 * MINUTE, 1],
])('a text that could not be sent %s', async (_, span, more) => {
  const number = await addNumber();
  await requestedElsewhere(number);
  await requestWithWork(number);
  const before = await sentTo(number);
  await unreported(number, null);
  bench.clock.pass(span);
  expect((await requestWithWork(number)).status).toBe(200);
  expect((await sentTo(number)) - before).toBe(more);
});
