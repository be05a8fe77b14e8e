import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, newAttempt, prove, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { signInPatient } from '#dev/testing/signed-in.ts';
import { DAY, HOUR, SECOND } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { registrationColumns } from '../srp/verifier.ts';
import { pendingSignUpKeys, storePendingSignUp } from './sign-ups/pending-sign-up.ts';

/** Warm-up requests, which are not compared. */
const WARM_UP = 4;
/** A single difference may be noise; a real one recurs in the same direction. */
const MOST_ROUNDS = 4;
const two = (index: number) => String(index).padStart(2, '0');

/**
 * Only the long run compares times; the short one compares responses, headers and emails of one pair for two kinds per
 * step.
 */
const LONG = Boolean(process.env.PROVE);
const FEW = LONG ? 18 : 1;
const ENOUGH = LONG ? 20 : 1;

/** Kinds of known accounts and their rows. Each is compared with an unknown account. */
const KINDS = {
  confirmed: {
    pairs: ENOUGH,
    exchange: '555',
    patient: { canSignIn: true, emailVerified: true },
    confirmedAt: new Date(),
  },
  'not confirmed': { pairs: FEW, exchange: '556', patient: {}, confirmedAt: null },
  invited: { pairs: FEW, exchange: '557', patient: { status: 'invited' }, confirmedAt: null },
  archived: {
    pairs: FEW,
    exchange: '558',
    patient: { status: 'archived', archivedAt: new Date() },
    confirmedAt: new Date(),
  },
  'locked since a change was undone': {
    pairs: FEW,
    exchange: '560',
    patient: { canSignIn: true, emailVerified: true },
    confirmedAt: new Date(),
  },
  'known to the API only': { pairs: FEW, exchange: '559', patient: {}, confirmedAt: undefined },
};
type Kind = keyof typeof KINDS;
type Account = { email(n: number): string; phone(n: number): string };
const knownAccount = (kind: Kind): Account => ({
  email: (n) => `known${KINDS[kind].exchange}${two(n)}@example.test`,
  phone: (n) => `+1202${KINDS[kind].exchange}01${two(n)}`,
});
/** A new unknown account in each round, because a sign-up makes it known. */
const unknownAccount = (kind: Kind, round = 0): Account => ({
  email: (n) => `unseen${KINDS[kind].exchange}${round}${two(n)}@example.test`,
  phone: (n) => `+1310${KINDS[kind].exchange}${round + 1}1${two(n)}`,
});

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let requester: { id: string; token: string; device?: string | undefined };
const registration = register('correct horse battery staple');
const ATTACKER_PASSWORD = 'not the owner’s password';
const attackerSrp = register(ATTACKER_PASSWORD);
const A = registration.verifier;
const M1 = 'ab'.repeat(32);

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  const { db, tenantId } = clinic.ctx;
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const { pairs, patient, confirmedAt } = KINDS[kind];
    for (let n = 0; n < pairs; n++) {
      const patientId = newId();
      const [email, phoneNumber] = [knownAccount(kind).email(n), knownAccount(kind).phone(n)];
      await db.patient.create({ data: { id: patientId, tenantId, email, phoneNumber, ...patient } });
      if (confirmedAt === undefined) continue;
      const temporaryUntil = kind === 'invited' ? new Date(Date.now() + 300 * DAY) : null;
      const columns = registrationColumns(clinic.ctx, patientId, registration);
      const locked = kind.startsWith('locked') ? { resetRequiredAt: new Date(), resetBy: 'staff' } : {};
      const signIn = { tenantId, patientId, phoneNumber, confirmedAt, temporaryUntil, ...columns, ...locked };
      await db.patientSignIn.create({ data: signIn });
      if (kind === 'not confirmed') await signUpOf(email, patientId);
    }
  }
  const id = newId();
  await db.patient.create({ data: { id, tenantId, canSignIn: true } });
  await db.patientSignIn.create({ data: { tenantId, patientId: id, confirmedAt: new Date() } });
  requester = { id, token: '' };
});
afterAll(() => bench?.stop());

/** An unconfirmed sign-up of this account on another device. */
async function signUpOf(email: string, patientId: string): Promise<void> {
  const { ctx, credentials: clientId } = clinic;
  const caller = { ip: '192.0.2.1', userAgent: null, requestId: newId(), idempotencyKey: null };
  const content = { srp: registration, attributes: {} };
  const pendingSignUp = {
    ...pendingSignUpKeys(ctx, email, newAttempt()),
    patientId,
    clientId,
    content,
    madeRecord: true,
  };
  await ctx.db.$transaction((tx) => storePendingSignUp(tx, ctx, caller, pendingSignUp));
}

/** Result of a step, and of its immediate repetition, which is too early where something is sent. */
type Outcome = { ms: number; response: TestResponse; repeated?: TestResponse };
type Step = (account: Account, n: number) => Promise<Outcome>;

async function timed(path: string, body: object, method = 'POST'): Promise<Outcome> {
  // Wait for jobs of an earlier request.
  await bench.settled();
  const token = path.startsWith('/user') ? { token: requester.token } : {};
  const startedAt = performance.now();
  const response = await bench.call(method, `/identity${path}`, body, token);
  return { ms: performance.now() - startedAt, response };
}
async function twice(path: string, body: object, method = 'POST'): Promise<Outcome> {
  const first = await timed(path, body, method);
  return { ...first, repeated: (await timed(path, body, method)).response };
}
const byEmail =
  (path: string, more: object = {}): Step =>
  (account, n) =>
    twice(`/credentials${path}`, { client_id: clinic.credentials, email: account.email(n), ...more });
const byPhone =
  (path: string, more: object = {}): Step =>
  (account, n) =>
    twice(`/passwordless${path}`, { client_id: clinic.passwordless, phone_number: account.phone(n), ...more });

/** Steps that use scrypt run for fewer pairs. */
const STEPS: [string, Step, number?][] = [
  ['requesting a text message', byPhone('/sign_in')],
  [
    'a wrong code of a text message',
    async (account, n) => {
      const { response } = await byPhone('/sign_in')(account, n);
      return twice('/passwordless/complete', { challenge: response.body.challenge, code: '000000' });
    },
  ],
  [
    'six wrong codes of a text message',
    async (account, n) => {
      const { response } = await byPhone('/sign_in')(account, n);
      const guess = { challenge: response.body.challenge, code: '000000' };
      for (let tries = 0; tries < 5; tries++) await bench.post('/passwordless/complete', guess);
      return timed('/passwordless/complete', guess);
    },
  ],
  ['requesting another confirmation code', byEmail('/resend')],
  [
    'requesting another confirmation code on the device of the sign-up',
    afterSigningUp((attempt) => byEmail('/resend', { attempt })),
  ],
  ['a wrong confirmation code', byEmail('/confirm', { attempt: ATTEMPT, code: '000000' })],
  ['requesting a reset', byEmail('/reset', { attempt: ATTEMPT })],
  ['a wrong reset code', byEmail('/reset/complete', { attempt: ATTEMPT, code: '000000', srp: registration })],
  ['the first half of a proof', byEmail('/srp/start', { A })],
  [
    'a wrong second half',
    async (account, n) => {
      const { response } = await byEmail('/srp/start', { A })(account, n);
      return twice('/credentials/srp/finish', { handshake: response.body.handshake, M1 });
    },
  ],
  [
    'a patient’s new email address',
    (account, n) => twice('/user/email', { email: account.email(n), device: requester.device }, 'PATCH'),
  ],
  ['a wrong code of a new email address', (account, n) => afterRequest('email', { email: account.email(n) })],
  [
    'a patient’s new number',
    (account, n) => twice('/user/phone', { phone_number: account.phone(n), device: requester.device }, 'PATCH'),
  ],
  ['a wrong code of a new number', (account, n) => afterRequest('phone', { phone_number: account.phone(n) })],
  ['the first half of a proof of a sign-up', byEmail('/srp/start', { A, attempt: ATTEMPT })],
  [
    'a wrong second half of a sign-up',
    async (account, n) => {
      const { response } = await byEmail('/srp/start', { A, attempt: ATTEMPT })(account, n);
      return twice('/credentials/srp/finish', { handshake: response.body.handshake, M1 });
    },
  ],
  [
    'the password of the device’s own sign-up',
    afterSigningUp((attempt) => async (account, n) => {
      const { body } = await prove(bench, clinic.credentials, account.email(n), ATTACKER_PASSWORD, {}, attempt);
      return timed('/credentials/srp/finish', body);
    }),
    FEW,
  ],
  [
    'the password of the device’s own sign-up, on another device',
    afterSigningUp(() => async (account, n) => {
      const elsewhere = { 'x-forwarded-for': '203.0.113.77' };
      const { body } = await prove(
        bench,
        clinic.credentials,
        account.email(n),
        ATTACKER_PASSWORD,
        elsewhere,
        newAttempt(),
      );
      return timed('/credentials/srp/finish', body);
    }),
    FEW,
  ],
  [
    'the password of the device’s own sign-up, as that of the account',
    afterSigningUp(() => async (account, n) => {
      const { body } = await prove(bench, clinic.credentials, account.email(n), ATTACKER_PASSWORD);
      return timed('/credentials/srp/finish', body);
    }),
    FEW,
  ],
  ['requesting a reset on the device of the sign-up', afterSigningUp((attempt) => byEmail('/reset', { attempt }))],
  ['signing up by email', byEmail('/sign_up', { attempt: ATTEMPT, srp: registration })],
  ['signing up by phone', byPhone('/sign_up', { attempt: ATTEMPT })],
];

/** Someone else signs up with the address first, with their own password. */
function afterSigningUp(step: (attempt: string) => Step): Step {
  return async (account, n) => {
    const attempt = newAttempt();
    await byEmail('/sign_up', { attempt, srp: attackerSrp })(account, n);
    bench.clock.pass(61 * SECOND);
    return step(attempt)(account, n);
  };
}

async function afterRequest(kind: 'email' | 'phone', body: object): Promise<Outcome> {
  const { token, device } = requester;
  await bench.call('PATCH', `/identity/user/${kind}`, { ...body, device }, { token });
  return twice(`/user/${kind}/verify`, { code: '000000', device });
}

/** Types and lengths only, because values differ between any two responses. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'string'
    ? `text of ${value.length}`
    : value && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]))
      : value;
const headersOf = ({ headers }: TestResponse) =>
  [...headers].filter(([name]) => name !== 'date' && name !== 'request-id').map(([name, value]) => `${name}: ${value}`);

/** The lower quartile: the duration without other load. */
const typical = (numbers: number[]) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 4)]!;
/** Returns which list of times is measurably longer; 0 for neither. */
const longer = (one: number[], other: number[]): number => {
  const [a, b] = [typical(one), typical(other)];
  return Math.abs(a - b) > 2 + 0.35 * Math.min(a, b) ? Math.sign(a - b) : 0;
};

/** All that a client sees of a response except its values; of a 429, all except the remaining seconds. */
function seenOf(response: TestResponse | undefined) {
  if (response?.status !== 429) return response && [response.status, shapeOf(response.body), headersOf(response)];
  const { code, title, detail } = response.body.errors[0];
  return [429, code, title, detail.replace(/\d+/, '#'), [...response.headers.keys()]];
}
const waitOf = (response: TestResponse | undefined) => Number(response?.headers.get('retry-after') ?? 0);

/** The short run takes each step with the confirmed kind and with one of the others in turn. */
const stepsOf = (kind: Kind) => {
  const others = Object.keys(KINDS).filter((name) => name !== 'confirmed');
  return STEPS.filter((_, n) => LONG || kind === 'confirmed' || kind === others[n % others.length]);
};

describe.each(Object.keys(KINDS) as Kind[])('a %s account gets the same response as an unknown one:', (kind) => {
  test.each(stepsOf(kind))(
    '%s',
    async (_, step, most = ENOUGH) => {
      const directions: number[] = [];
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const times = await compare(kind, step, { round, pairs: Math.min(most, KINDS[kind].pairs) });
        if (times.known.length === 0) return;
        directions.push(longer(times.known, times.unknown));
        if (new Set(directions).size > 1 || directions[0] === 0) return;
      }
      expect(directions).toEqual('alike');
    },
    1_200_000,
  );
});

/** Expects the same response and number of emails for both accounts of each pair; returns the durations. */
async function compare(kind: Kind, step: Step, { round, pairs }: { round: number; pairs: number }) {
  const unknownSide = unknownAccount(kind, round);
  bench.clock.pass(25 * HOUR);
  const { access_token: token, device } = await signInPatient(clinic.ctx, requester.id);
  Object.assign(requester, { token, device });
  await bench.settled();
  const before = await mails(kind, unknownSide);
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let n = 0; n < pairs; n++) {
    // Avoid the rate limits per minute and source.
    bench.clock.pass(61 * SECOND);
    const order = n % 2 ? [knownAccount(kind), unknownSide] : [unknownSide, knownAccount(kind)];
    const [first, second] = [await step(order[0]!, n), await step(order[1]!, n)];
    const [knownOutcome, unknownOutcome] = n % 2 ? [first, second] : [second, first];
    expect(seenOf(unknownOutcome.response)).toEqual(seenOf(knownOutcome.response));
    expect(seenOf(unknownOutcome.repeated)).toEqual(seenOf(knownOutcome.repeated));
    expect(Math.abs(waitOf(unknownOutcome.repeated) - waitOf(knownOutcome.repeated))).toBeLessThan(15);
    if (n < WARM_UP) continue;
    times.known.push(knownOutcome.ms);
    times.unknown.push(unknownOutcome.ms);
  }
  await bench.settled();
  const after = await mails(kind, unknownSide);
  expect(after.known - before.known).toBe(after.unknown - before.unknown);
  return times;
}

test('durations that differ by a few statements are distinguishable', () => {
  const base = Array.from({ length: 24 }, (_, n) => 8 + (n % 5));
  const slower = (by: number) => base.map((ms) => ms + by);
  expect([longer(base, slower(1)), longer(base, slower(7)), longer(slower(7), base)]).toEqual([0, -1, 1]);
});

test('an address keeps its identity and salt after its patient is archived', async () => {
  const start = async () => (await byEmail('/srp/start', { A })(knownAccount('confirmed'), 0)).response.body;
  const before = await start();
  const { db } = clinic.ctx;
  const email = knownAccount('confirmed').email(0);
  await db.patient.updateMany({ where: { email }, data: { status: 'archived', archivedAt: new Date() } });
  const after = await start();
  expect([after.identity, after.salt]).toEqual([before.identity, before.salt]);
});

test('an unknown address has the same identity and salt every time', async () => {
  const start = async () => (await byEmail('/srp/start', { A })(unknownAccount('confirmed'), 90)).response.body;
  const [one, other] = [await start(), await start()];
  expect([other.identity, other.salt]).toEqual([one.identity, one.salt]);
  expect(other.B).not.toBe(one.B);
});

async function mails(kind: Kind, unknownSide: Account) {
  const count = async (account: Account) => {
    let sum = 0;
    for (let n = 0; n < KINDS[kind].pairs; n++) sum += (await bench.messages(account.email(n))).length;
    return sum;
  };
  return { known: await count(knownAccount(kind)), unknown: await count(unknownSide) };
}
