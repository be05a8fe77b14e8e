import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { newAttempt, register, signInWithPassword } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { SEED } from '#dev/testing/seed.ts';
import { HOUR } from '#server/core/clock.ts';

/** Sequences per flow; seeded, so that a failing one can be reproduced. */
const ORDERS = process.env.PROVE ? 400 : 8;
const PROVED_EACH = 12;
const PART = 50;
const [OWN, ATTACKER_PASSWORD] = ['correct horse battery staple', 'another quite long passphrase'];
const [own, attackerSrp] = [register(OWN), register(ATTACKER_PASSWORD)];
const BROWSERS = {
  owner: ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  attacker: ['Chrome on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0 Safari/537.36'],
} as const;
type Person = keyof typeof BROWSERS;

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
});
afterAll(() => bench?.stop());

/**
 * One address used by both persons, each on their own device; `n` identifies it. Each request comes from another
 * network, so that no rate limit interferes.
 */
type Case = { n: number; requestCount: number; attempts: Record<Person, string> };
const newCase = (n: number): Case => ({
  n,
  requestCount: 0,
  attempts: { owner: newAttempt(), attacker: newAttempt() },
});
const headersOf = (testCase: Case, person: Person) => ({
  'user-agent': BROWSERS[person][1],
  'x-forwarded-for': `10.${testCase.requestCount++}.${testCase.n >> 8}.${testCase.n & 255}`,
});
const emailOf = ({ n }: Case) => `ada@clinic${n}.example.test`;
const AREAS = ['202', '212', '213', '305', '310', '312', '415'];
const numberOf = ({ n }: Case) => `+1${AREAS[n % 7]}${555 + Math.floor(n / 7)}01${String(n % 100).padStart(2, '0')}`;

async function newestCode(to: string, containing = ''): Promise<string | null> {
  const message = (await bench.messages(to)).find(({ text }) => /\b\d{6}\b/.test(text) && text.includes(containing));
  return message?.text.match(/\b\d{6}\b/)?.[0] ?? null;
}
const guess = (n: number) => String(100_000 + n);

/** Runs all sequences in parallel, step by step, an hour between two steps. */
async function runAll<Op extends string>(
  orders: readonly (readonly Op[])[],
  cases: Case[],
  step: (testCase: Case, op: Op) => Promise<void>,
): Promise<void> {
  const longest = Math.max(...orders.map((order) => order.length));
  for (let at = 0; at < longest; at++) {
    for (let first = 0; first < orders.length; first += 20)
      await Promise.all(
        orders.slice(first, first + 20).map(async (order, index) => {
          const op = order[at];
          if (op) await step(cases[first + index]!, op);
        }),
      );
    await bench.settled();
    bench.clock.pass(HOUR + 1);
  }
}
/**
 * In batches, because the inbox holds the newest thousand messages. @returns the sequences that failed, with the reason
 */
async function failuresOf<Op extends string>(
  orders: readonly (readonly Op[])[],
  cases: Case[],
  step: (testCase: Case, op: Op) => Promise<void>,
  outcomeOf: (testCase: Case) => Promise<string | null>,
): Promise<string[]> {
  const failures: string[] = [];
  for (let first = 0; first < cases.length; first += PART) {
    const part = cases.slice(first, first + PART);
    await runAll(orders.slice(first, first + PART), part, step);
    await inTens(part, async (testCase) => {
      const outcome = await outcomeOf(testCase);
      if (outcome) failures.push(`${orders[testCase.n]!.join(', ')}: ${outcome}`);
    });
  }
  return failures;
}
function ordersOf<Op extends string>(ops: readonly Op[], mustHave: Op): Op[][] {
  const order = fc.array(fc.constantFrom(...ops), { minLength: 4, maxLength: 6 }).map((some) => {
    // A pseudo-random position that depends on the other steps.
    const at = some.map((op) => op.length).reduce((sum, length) => sum + length, 0) % (some.length + 1);
    return some.includes(mustHave) ? some : [...some.slice(0, at), mustHave, ...some.slice(at)];
  });
  return fc.sample(order, { numRuns: ORDERS, seed: SEED });
}

describe('an email address that someone else signs up with too', () => {
  const OPS = [
    'owner signs up',
    'attacker signs up',
    'owner asks again',
    'attacker asks again',
    'owner asks for a reset',
    'attacker asks for a reset',
    'attacker guesses',
    'owner types the newest code',
    'attacker proves',
  ] as const;
  type Op = (typeof OPS)[number];

  test(`belongs to the owner of the mailbox, in ${ORDERS} orders`, async () => {
    const orders = ordersOf(OPS, 'owner signs up');
    expect(new Set(orders.map((order) => order.join())).size).toBeGreaterThan(ORDERS * 0.8);
    const cases = orders.map((_, n) => newCase(n));
    expect(await failuresOf(orders, cases, step, outcomeOf)).toEqual([]);
  }, 1_800_000);

  const post = (testCase: Case, person: Person, path: string, more: object = {}) => {
    const body = {
      client_id: clinic.credentials,
      email: emailOf(testCase),
      attempt: testCase.attempts[person],
      ...more,
    };
    return bench.post(`/credentials${path}`, body, { headers: headersOf(testCase, person) });
  };
  const attributesOf = (person: Person) => ({ first_name: person, metadata: { [person]: true } });

  async function step(testCase: Case, op: Op): Promise<void> {
    const person: Person = op.startsWith('owner') ? 'owner' : 'attacker';
    if (op.endsWith('signs up'))
      await post(testCase, person, '/sign_up', {
        srp: person === 'owner' ? own : attackerSrp,
        attributes: attributesOf(person),
      });
    if (op.endsWith('asks again')) await post(testCase, person, '/resend');
    if (op.endsWith('asks for a reset')) await post(testCase, person, '/reset');
    if (op === 'owner types the newest code') {
      const code = await newestCode(emailOf(testCase));
      if (code) await post(testCase, 'owner', '/confirm', { code });
    }
    if (op === 'attacker guesses') {
      for (let n = 0; n < 6; n++) await post(testCase, 'attacker', '/confirm', { code: guess(n) });
      await post(testCase, 'attacker', '/confirm', { code: guess(0), attempt: newAttempt() });
      await post(testCase, 'attacker', '/reset/complete', { code: guess(0), srp: attackerSrp });
    }
    if (op === 'attacker proves') {
      const A = own.verifier;
      for (const attempt of [testCase.attempts.attacker, newAttempt(), undefined]) {
        const { body } = await post(testCase, 'attacker', '/srp/start', { A, attempt });
        if (body.handshake)
          await post(testCase, 'attacker', '/srp/finish', {
            client_id: undefined,
            email: undefined,
            attempt: undefined,
            handshake: body.handshake,
            M1: 'ab'.repeat(32),
          });
      }
    }
  }

  /** Returns the error after the owner has used the code of their own device, or null. */
  async function outcomeOf(testCase: Case): Promise<string | null> {
    const where = { tenantId: clinic.ctx.tenantId, patient: { email: emailOf(testCase) } };
    const isConfirmed = async () => (await clinic.ctx.db.patientSignIn.findFirst({ where }))?.confirmedAt != null;
    if (!(await isConfirmed())) {
      const code = await newestCode(emailOf(testCase), `sign-up with ${BROWSERS.owner[0]}`);
      if (!code) return 'the owner was sent no code';
      const { status } = await post(testCase, 'owner', '/confirm', { code });
      if (status !== 204) return `the owner’s code got status ${status}`;
    }
    const { db } = clinic.ctx;
    const patients = await db.patient.findMany({ where: { email: emailOf(testCase) } });
    if (patients.length !== 1) return `there are ${patients.length} patients`;
    const [{ firstName, metadata }] = patients as [(typeof patients)[number]];
    if (firstName !== 'owner' || JSON.stringify(metadata) !== '{"owner":true}')
      return `the record says ${firstName} ${JSON.stringify(metadata)}`;
    const stored = await db.patientSignIn.findFirstOrThrow({ where });
    if (stored.srpIdentity !== own.identity || stored.salt !== own.salt) return 'the password is not the owner’s';
    // Proofs are slow, so check only some.
    if (testCase.n % PROVED_EACH > 0) return null;
    const signIn = (password: string) => signInWithPassword(bench, clinic.credentials, emailOf(testCase), password);
    const right = await signIn(OWN);
    if (right.status !== 200) return `the owner’s password got status ${right.status}`;
    const wrong = await signIn(ATTACKER_PASSWORD);
    return wrong.status === 401 ? null : `the attacker’s password got status ${wrong.status}`;
  }
});

describe('a phone number that someone else signs up with too', () => {
  const OPS = [
    'owner signs up',
    'attacker signs up',
    'owner asks for a code',
    'attacker asks for a code',
    'attacker guesses',
    'owner uses the attacker’s code',
  ] as const;
  type Op = (typeof OPS)[number];

  test(`belongs to the owner of the phone, in ${ORDERS} orders`, async () => {
    const orders = ordersOf(OPS, 'owner signs up');
    const cases = orders.map((_, n) => newCase(n));
    expect(await failuresOf(orders, cases, step, outcomeOf)).toEqual([]);
  }, 1_800_000);

  const challenges: Record<Person, Map<number, string>> = { owner: new Map(), attacker: new Map() };
  const post = (testCase: Case, person: Person, path: string, body: object) =>
    bench.post(`/passwordless${path}`, body, { headers: headersOf(testCase, person) });
  const named = (testCase: Case) => ({ client_id: clinic.passwordless, phone_number: numberOf(testCase) });
  const requestCode = async (testCase: Case, person: Person) => {
    const { body } = await post(testCase, person, '/sign_in', named(testCase));
    if (body.challenge) challenges[person].set(testCase.n, body.challenge);
  };
  const complete = (testCase: Case, person: Person, code: string) =>
    post(testCase, person, '/complete', {
      challenge: challenges[person].get(testCase.n),
      attempt: testCase.attempts[person],
      code,
    });

  async function step(testCase: Case, op: Op): Promise<void> {
    const person: Person = op.startsWith('owner') ? 'owner' : 'attacker';
    if (op.endsWith('signs up'))
      await post(testCase, person, '/sign_up', {
        ...named(testCase),
        attempt: testCase.attempts[person],
        attributes: { first_name: person, metadata: { [person]: true } },
      });
    if (op.endsWith('asks for a code')) await requestCode(testCase, person);
    if (op === 'attacker guesses' && challenges.attacker.has(testCase.n))
      for (let n = 0; n < 6; n++) await complete(testCase, 'attacker', guess(n));
    if (op === 'owner uses the attacker’s code' && challenges.owner.has(testCase.n)) {
      const code = await newestCode(numberOf(testCase), BROWSERS.attacker[0]);
      if (code) await complete(testCase, 'owner', code);
    }
  }

  async function outcomeOf(testCase: Case): Promise<string | null> {
    await requestCode(testCase, 'owner');
    await bench.settled();
    const code = await newestCode(numberOf(testCase), BROWSERS.owner[0]);
    if (!code) return 'the owner was sent no code';
    await requestCode(testCase, 'attacker');
    const { status, body } = await complete(testCase, 'owner', code);
    if (status !== 200) return `the owner’s code got status ${status}`;
    const record = await clinic.ctx.db.patient.findUniqueOrThrow({ where: { id: body.user.user_id } });
    const stored = `${record.firstName} ${JSON.stringify(record.metadata)}`;
    return stored === 'owner {"owner":true}' ? null : `the record says ${stored}`;
  }
});

/** Ten at a time, because password proofs are slow. */
async function inTens(cases: Case[], work: (testCase: Case) => Promise<void>): Promise<void> {
  for (let first = 0; first < cases.length; first += 10) await Promise.all(cases.slice(first, first + 10).map(work));
}
