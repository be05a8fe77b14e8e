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
type Who = keyof typeof BROWSERS;

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
type Case = { n: number; asked: number; attempts: Record<Who, string> };
const newCase = (n: number): Case => ({ n, asked: 0, attempts: { owner: newAttempt(), attacker: newAttempt() } });
const headersOf = (one: Case, who: Who) => ({
  'user-agent': BROWSERS[who][1],
  'x-forwarded-for': `10.${one.asked++}.${one.n >> 8}.${one.n & 255}`,
});
const emailOf = ({ n }: Case) => `ada@clinic${n}.example.test`;
const AREAS = ['202', '212', '213', '305', '310', '312', '415'];
const numberOf = ({ n }: Case) => `+1${AREAS[n % 7]}${555 + Math.floor(n / 7)}01${String(n % 100).padStart(2, '0')}`;

async function newestCode(to: string, says = ''): Promise<string | null> {
  const found = (await bench.messages(to)).find(({ text }) => /\b\d{6}\b/.test(text) && text.includes(says));
  return found?.text.match(/\b\d{6}\b/)?.[0] ?? null;
}
const guess = (n: number) => String(100_000 + n);

/** Runs all sequences in parallel, step by step, an hour between two steps. */
async function runAll<Op extends string>(
  orders: readonly (readonly Op[])[],
  cases: Case[],
  step: (one: Case, op: Op) => Promise<void>,
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
  step: (one: Case, op: Op) => Promise<void>,
  outcomeOf: (one: Case) => Promise<string | null>,
): Promise<string[]> {
  const failures: string[] = [];
  for (let first = 0; first < cases.length; first += PART) {
    const part = cases.slice(first, first + PART);
    await runAll(orders.slice(first, first + PART), part, step);
    await inTens(part, async (one) => {
      const outcome = await outcomeOf(one);
      if (outcome) failures.push(`${orders[one.n]!.join(', ')}: ${outcome}`);
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
    'owner tells the newest code',
    'attacker proves',
  ] as const;
  type Op = (typeof OPS)[number];

  test(`belongs to the owner of the mailbox, in ${ORDERS} orders`, async () => {
    const orders = ordersOf(OPS, 'owner signs up');
    expect(new Set(orders.map((order) => order.join())).size).toBeGreaterThan(ORDERS * 0.8);
    const cases = orders.map((_, n) => newCase(n));
    expect(await failuresOf(orders, cases, step, outcomeOf)).toEqual([]);
  }, 1_800_000);

  const post = (one: Case, who: Who, path: string, more: object = {}) => {
    const body = { client_id: clinic.credentials, email: emailOf(one), attempt: one.attempts[who], ...more };
    return bench.post(`/credentials${path}`, body, { headers: headersOf(one, who) });
  };
  const attributesOf = (who: Who) => ({ first_name: who, metadata: { [who]: true } });

  async function step(one: Case, op: Op): Promise<void> {
    const who: Who = op.startsWith('owner') ? 'owner' : 'attacker';
    if (op.endsWith('signs up'))
      await post(one, who, '/sign_up', { srp: who === 'owner' ? own : attackerSrp, attributes: attributesOf(who) });
    if (op.endsWith('asks again')) await post(one, who, '/resend');
    if (op.endsWith('asks for a reset')) await post(one, who, '/reset');
    if (op === 'owner tells the newest code') {
      const code = await newestCode(emailOf(one));
      if (code) await post(one, 'owner', '/confirm', { code });
    }
    if (op === 'attacker guesses') {
      for (let n = 0; n < 6; n++) await post(one, 'attacker', '/confirm', { code: guess(n) });
      await post(one, 'attacker', '/confirm', { code: guess(0), attempt: newAttempt() });
      await post(one, 'attacker', '/reset/complete', { code: guess(0), srp: attackerSrp });
    }
    if (op === 'attacker proves') {
      const A = own.verifier;
      for (const attempt of [one.attempts.attacker, newAttempt(), undefined]) {
        const { body } = await post(one, 'attacker', '/srp/start', { A, attempt });
        if (body.handshake)
          await post(one, 'attacker', '/srp/finish', {
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
  async function outcomeOf(one: Case): Promise<string | null> {
    const where = { tenantId: clinic.ctx.tenantId, patient: { email: emailOf(one) } };
    const isConfirmed = async () => (await clinic.ctx.db.patientSignIn.findFirst({ where }))?.confirmedAt != null;
    if (!(await isConfirmed())) {
      const code = await newestCode(emailOf(one), `sign-up with ${BROWSERS.owner[0]}`);
      if (!code) return 'the owner was sent no code';
      const { status } = await post(one, 'owner', '/confirm', { code });
      if (status !== 204) return `the owner’s code was answered ${status}`;
    }
    const { db } = clinic.ctx;
    const patients = await db.patient.findMany({ where: { email: emailOf(one) } });
    if (patients.length !== 1) return `there are ${patients.length} patients`;
    const [{ firstName, metadata }] = patients as [(typeof patients)[number]];
    if (firstName !== 'owner' || JSON.stringify(metadata) !== '{"owner":true}')
      return `the record says ${firstName} ${JSON.stringify(metadata)}`;
    const stored = await db.patientSignIn.findFirstOrThrow({ where });
    if (stored.srpIdentity !== own.identity || stored.salt !== own.salt) return 'the password is not the owner’s';
    // Proofs are slow, so check only some.
    if (one.n % PROVED_EACH > 0) return null;
    const signIn = (password: string) => signInWithPassword(bench, clinic.credentials, emailOf(one), password);
    const right = await signIn(OWN);
    if (right.status !== 200) return `the owner’s password was answered ${right.status}`;
    const wrong = await signIn(ATTACKER_PASSWORD);
    return wrong.status === 401 ? null : `the attacker’s password was answered ${wrong.status}`;
  }
});

describe('a phone number that someone else signs up with too', () => {
  const OPS = [
    'owner signs up',
    'attacker signs up',
    'owner asks for a code',
    'attacker asks for a code',
    'attacker guesses',
    'owner mistakes the newest code',
  ] as const;
  type Op = (typeof OPS)[number];

  test(`belongs to the owner of the phone, in ${ORDERS} orders`, async () => {
    const orders = ordersOf(OPS, 'owner signs up');
    const cases = orders.map((_, n) => newCase(n));
    expect(await failuresOf(orders, cases, step, outcomeOf)).toEqual([]);
  }, 1_800_000);

  const challenges: Record<Who, Map<number, string>> = { owner: new Map(), attacker: new Map() };
  const post = (one: Case, who: Who, path: string, body: object) =>
    bench.post(`/passwordless${path}`, body, { headers: headersOf(one, who) });
  const named = (one: Case) => ({ client_id: clinic.passwordless, phone_number: numberOf(one) });
  const ask = async (one: Case, who: Who) => {
    const { body } = await post(one, who, '/sign_in', named(one));
    if (body.challenge) challenges[who].set(one.n, body.challenge);
  };
  const complete = (one: Case, who: Who, code: string) =>
    post(one, who, '/complete', { challenge: challenges[who].get(one.n), attempt: one.attempts[who], code });

  async function step(one: Case, op: Op): Promise<void> {
    const who: Who = op.startsWith('owner') ? 'owner' : 'attacker';
    if (op.endsWith('signs up'))
      await post(one, who, '/sign_up', {
        ...named(one),
        attempt: one.attempts[who],
        attributes: { first_name: who, metadata: { [who]: true } },
      });
    if (op.endsWith('asks for a code')) await ask(one, who);
    if (op === 'attacker guesses' && challenges.attacker.has(one.n))
      for (let n = 0; n < 6; n++) await complete(one, 'attacker', guess(n));
    if (op === 'owner mistakes the newest code' && challenges.owner.has(one.n)) {
      const code = await newestCode(numberOf(one), BROWSERS.attacker[0]);
      if (code) await complete(one, 'owner', code);
    }
  }

  async function outcomeOf(one: Case): Promise<string | null> {
    await ask(one, 'owner');
    await bench.settled();
    const code = await newestCode(numberOf(one), BROWSERS.owner[0]);
    if (!code) return 'the owner was sent no code';
    await ask(one, 'attacker');
    const { status, body } = await complete(one, 'owner', code);
    if (status !== 200) return `the owner’s code was answered ${status}`;
    const record = await clinic.ctx.db.patient.findUniqueOrThrow({ where: { id: body.user.user_id } });
    const said = `${record.firstName} ${JSON.stringify(record.metadata)}`;
    return said === 'owner {"owner":true}' ? null : `the record says ${said}`;
  }
});

/** Ten at a time, because password proofs are slow. */
async function inTens(cases: Case[], work: (one: Case) => Promise<void>): Promise<void> {
  for (let first = 0; first < cases.length; first += 10) await Promise.all(cases.slice(first, first + 10).map(work));
}
