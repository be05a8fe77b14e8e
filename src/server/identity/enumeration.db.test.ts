import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { register } from '#testing/password-client.ts';
import { type Answer, type SignInBench, startSignInBench } from '#testing/patient-sign-in.ts';
import { HOUR } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import { registrationColumns } from './srp/verifier.ts';

/** The first ones warm everything up and are not compared. */
const PAIRS = 30;
const WARM_UP = 6;
const two = (index: number) => String(index).padStart(2, '0');
const KNOWN = { email: (n: number) => `known${two(n)}@example.test`, phone: (n: number) => `+120255501${two(n)}` };
const UNKNOWN = { email: (n: number) => `nobody${two(n)}@example.test`, phone: (n: number) => `+131055501${two(n)}` };
type Who = typeof KNOWN;

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
const registration = register('correct horse battery staple');
const A = registration.verifier;
const M1 = 'ab'.repeat(32);

beforeAll(async () => {
  bench = await startSignInBench();
  clinic = await bench.tenant();
  const { db, tenantId } = clinic.ctx;
  for (let n = 0; n < PAIRS; n++) {
    const patientId = newId();
    await db.patient.create({
      data: { id: patientId, tenantId, email: KNOWN.email(n), emailVerified: true, canSignIn: true },
    });
    await db.patientSignIn.create({
      data: {
        tenantId,
        patientId,
        phoneNumber: KNOWN.phone(n),
        confirmedAt: new Date(),
        ...registrationColumns(clinic.ctx, patientId, registration),
      },
    });
  }
});
afterAll(() => bench?.stop());

type Step = (who: Who, n: number) => Promise<{ ms: number; answer: Answer }>;

async function timed(path: string, body: object): Promise<{ ms: number; answer: Answer }> {
  // What an earlier request queued must not be sent meanwhile.
  await bench.settled();
  const startedAt = performance.now();
  const answer = await bench.post(path, body);
  return { ms: performance.now() - startedAt, answer };
}
const byEmail =
  (path: string, more: object = {}): Step =>
  (who, n) =>
    timed(`/credentials${path}`, { client_id: clinic.credentials, email: who.email(n), ...more });
const byPhone =
  (path: string): Step =>
  (who, n) =>
    timed(`/passwordless${path}`, { client_id: clinic.passwordless, phone_number: who.phone(n) });

const STEPS: [string, Step][] = [
  ['asking for a text', byPhone('/sign_in')],
  [
    'a wrong code of a text',
    async (who, n) => {
      const { answer } = await byPhone('/sign_in')(who, n);
      return timed('/passwordless/complete', { challenge: answer.body.challenge, code: '000000' });
    },
  ],
  ['asking to confirm again', byEmail('/resend')],
  ['a wrong confirmation code', byEmail('/confirm', { code: '000000' })],
  ['asking for a reset', byEmail('/reset')],
  ['a wrong reset code', byEmail('/reset/complete', { code: '000000', srp: registration })],
  ['the first half of a proof', byEmail('/srp/start', { A })],
  [
    'a wrong second half',
    async (who, n) => {
      const { answer } = await byEmail('/srp/start', { A })(who, n);
      return timed('/credentials/srp/finish', { handshake: answer.body.handshake, M1 });
    },
  ],
  ['signing up by e-mail', byEmail('/sign_up', { srp: registration })],
  ['signing up by phone', byPhone('/sign_up')],
];

/** Types and lengths, for values differ between any two answers. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'string'
    ? `text of ${value.length}`
    : value && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]))
      : value;
const headersOf = ({ headers }: Answer) =>
  [...headers].filter(([name]) => name !== 'date' && name !== 'request-id').map(([name, value]) => `${name}: ${value}`);

/** The lower quartile: what the work takes when the machine does nothing else. */
const typical = (numbers: number[]) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 4)]!;
/** Whether somebody with a stopwatch could tell one list of times from the other. */
const differ = (one: number[], other: number[]) =>
  Math.abs(typical(one) - typical(other)) > 2 + 0.35 * Math.min(typical(one), typical(other));

describe.each(STEPS)('%s', (_, step) => {
  test('is answered alike, as fast and with as many e-mails, for somebody known and somebody unknown', async () => {
    bench.clock.pass(25 * HOUR);
    await bench.settled();
    const before = await mails();
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let n = 0; n < PAIRS; n++) {
      const order = n % 2 ? ([KNOWN, UNKNOWN] as const) : ([UNKNOWN, KNOWN] as const);
      const [first, second] = [await step(order[0], n), await step(order[1], n)];
      const [known, unknown] = n % 2 ? [first, second] : [second, first];
      expect(unknown.answer.status).toBe(known.answer.status);
      expect(shapeOf(unknown.answer.body)).toEqual(shapeOf(known.answer.body));
      expect(headersOf(unknown.answer)).toEqual(headersOf(known.answer));
      if (n < WARM_UP) continue;
      times.known.push(known.ms);
      times.unknown.push(unknown.ms);
    }
    await bench.settled();
    const after = await mails();
    expect(after.known - before.known).toBe(after.unknown - before.unknown);
    expect([typical(times.known), typical(times.unknown), differ(times.known, times.unknown)]).toEqual([
      expect.any(Number),
      expect.any(Number),
      false,
    ]);
  });
});

test('times that differ by a few statements are told apart', () => {
  const base = Array.from({ length: 24 }, (_, n) => 8 + (n % 5));
  expect(
    differ(
      base,
      base.map((ms) => ms + 1),
    ),
  ).toBe(false);
  expect(
    differ(
      base,
      base.map((ms) => ms + 7),
    ),
  ).toBe(true);
});

test('an unknown address is answered with the same identity and salt every time', async () => {
  const start = async () => (await byEmail('/srp/start', { A })(UNKNOWN, 90)).answer.body;
  const [one, other] = [await start(), await start()];
  expect([other.identity, other.salt]).toEqual([one.identity, one.salt]);
  expect(other.B).not.toBe(one.B);
});

async function mails() {
  const count = async (who: Who) => {
    let sum = 0;
    for (let n = 0; n < PAIRS; n++) sum += (await bench.messages(who.email(n))).length;
    return sum;
  };
  return { known: await count(KNOWN), unknown: await count(UNKNOWN) };
}
