import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { credentials } from '#sdk/credentials.ts';
import { AuthError } from '#sdk/errors.ts';
import { passwordless } from '#sdk/passwordless.ts';
import { user } from '#sdk/user.ts';
import { memoryStorage } from '#sdk/vault.ts';
import { SECOND } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import { getConfigurationTokens } from '#server/identity/applications/get-configuration-tokens.ts';
import { issueInvitation, makeTemporaryPassword } from '#server/identity/patients/invitation/issue-invitation.ts';
import { registrationColumns } from '#server/identity/srp/verifier.ts';
import { withClinic } from './clinic.ts';
import { register } from './password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from './patient-sign-in.ts';

const PASSWORD = 'seven quiet rivers';
const NEXT = 'eight louder rivers';
/** An app gives up at some point; these flows never need more attempts. */
const MOST_TRIES = 4;
const LONG = Boolean(process.env.PROVE);
const registration = register(PASSWORD);

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let count = 0;
const newEmail = () => `ada${++count}@example.test`;
const newNumber = () => `+1202555${String(1000 + ++count)}`;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
});
afterAll(() => bench?.stop());

/** The requests that are lost, or whose responses are lost: one by number, or the first to each URL. */
type Cut = { at: number | 'the first of each address'; where: 'there' | 'back' } | null;

function cutting(cut: Cut) {
  const requested: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const isFirst = !requested.includes(String(url));
    const isCut = cut?.at === requested.push(String(url)) || (typeof cut?.at === 'string' && isFirst);
    if (isCut && cut.where === 'there') throw new TypeError('fetch failed');
    const response = await globalThis.fetch(url, init);
    if (!isCut) return response;
    await response.text();
    throw new TypeError('fetch failed');
  };
  return { fetch, requests: () => requested.length };
}

/** Retries retryable errors after their delay, as an app does. */
async function persist<Result>(step: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++)
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof AuthError && error.retryable) || tries >= MOST_TRIES) throw error;
      // Emails arrive well within the delay; here the next one could overtake them.
      await bench.settled();
      bench.clock.pass((error.retryAfterSeconds ?? 0) * SECOND);
    }
}

/** Creates a patient who can sign in by password. */
async function patient(): Promise<string> {
  const { db, tenantId } = clinic.ctx;
  const [id, email] = [newId(), newEmail()];
  await db.patient.create({ data: { id, tenantId, email, emailVerified: true, canSignIn: true } });
  const columns = registrationColumns(clinic.ctx, id, registration);
  await db.patientSignIn.create({ data: { tenantId, patientId: id, ...columns, confirmedAt: new Date() } });
  return email;
}

/** Prepares a flow without faults, and returns the part to interrupt, which ends signed in. */
type Flow = () => Promise<() => Promise<void>>;
const FLOWS: [string, Flow][] = [
  [
    'signing up and in by text message',
    async () => async () => {
      const number = newNumber();
      await persist(() => passwordless.signUp(number, { first_name: 'Ada' }));
      const waiting = await persist(() => passwordless.signIn(number));
      const code = await bench.codeFor(number);
      await persist(() => passwordless.completeSignIn(JSON.parse(JSON.stringify(waiting)), code));
      expect(await user.getPayload()).toMatchObject({ phoneNumber: number, phoneNumberVerified: true });
    },
  ],
  [
    'signing up and in by email',
    async () => async () => {
      const email = newEmail();
      await persist(() => credentials.signUp(email, PASSWORD, { first_name: 'Ada' }));
      const code = await bench.codeFor(email);
      await persist(() => credentials.confirmSignUp(email, code));
      await persist(() => credentials.signIn(email, PASSWORD));
      expect(await user.getPayload()).toMatchObject({ email, emailVerified: true });
    },
  ],
  [
    'an invitation',
    async () => {
      const { db, tenantId } = clinic.ctx;
      const [patientId, email, temporary] = [newId(), newEmail(), await makeTemporaryPassword(bench.services)];
      await db.patient.create({ data: { id: patientId, tenantId, email, status: 'invited' } });
      await db.$transaction((tx) => issueInvitation(tx, clinic.ctx, { patientId, email, url: bench.url, temporary }));
      return async () => {
        await persist(() => credentials.completeInvitationAndSetPassword(email, temporary.password, NEXT));
        expect(await user.getPayload()).toMatchObject({ email, emailVerified: true });
      };
    },
  ],
  [
    'a forgotten password',
    async () => {
      const email = await patient();
      return async () => {
        await persist(() => credentials.requestPasswordReset(email));
        const code = await bench.codeFor(email);
        await persist(() => credentials.completePasswordReset(email, code, NEXT));
        await persist(() => credentials.signIn(email, NEXT));
      };
    },
  ],
  [
    'a new password',
    async () => {
      const email = await patient();
      await credentials.signIn(email, PASSWORD);
      return async () => {
        await persist(() => user.updatePassword(PASSWORD, NEXT));
        const proof = await patientSignIn(email);
        expect(proof.srpIdentity).toBe(registration.identity);
        expect(proof.salt).not.toBe(registration.salt);
      };
    },
  ],
  [
    'a new email address and number, and new tokens',
    async () => {
      await credentials.signIn(await patient(), PASSWORD);
      return async () => {
        const [email, number] = [newEmail(), newNumber()];
        await persist(() => user.updateEmail(email));
        const mailed = await bench.codeFor(email);
        await persist(() => user.verifyEmail(mailed));
        await persist(() => user.updatePhoneNumber(number));
        const texted = await bench.codeFor(number);
        await persist(() => user.verifyPhoneNumber(texted));
        await persist(() => user.getAccessToken({ renew: true }));
        await persist(() => user.getAccessToken({ renew: true }));
        expect(await user.getPayload()).toMatchObject({ email, phoneNumber: number, phoneNumberVerified: true });
      };
    },
  ],
];

const patientSignIn = (email: string) =>
  clinic.ctx.db.patientSignIn.findFirstOrThrow({ where: { patient: { email } } });

/** Runs a flow in a new tenant. @returns the number of its requests */
async function run(flow: Flow, cut: Cut): Promise<number> {
  clinic = await bench.tenant();
  const tokens = await getConfigurationTokens(clinic.ctx);
  let line = globalThis.fetch;
  const options = {
    storage: memoryStorage(),
    fetch: (...request: Parameters<typeof fetch>) => line(...request),
    now: () => bench.clock.now().getTime(),
  };
  passwordless.configure(tokens.passwordless, options);
  credentials.configure(tokens.credentials, options);
  const withoutFaults = await flow();
  const faulty = cutting(cut);
  line = faulty.fetch;
  await withoutFaults();
  const requests = faulty.requests();
  line = globalThis.fetch;
  const token = await user.getAccessToken();
  const me = await bench.call('GET', '/api/v1/patients/me', undefined, { token });
  expect(me.status).toBe(200);
  const { db } = clinic.ctx;
  expect(await db.patient.findMany({ select: { id: true, status: true, canSignIn: true } })).toEqual([
    { id: me.body.id, status: 'active', canSignIn: true },
  ]);
  expect(await db.patientSignIn.count()).toBe(1);
  expect(await db.patientSession.count({ where: { endedAt: null } })).toBe(1);
  expect(await db.refreshToken.count({ where: { usedAt: null } })).toBe(1);
  const events = await db.event.findMany({ where: { eventTopic: { in: ['signed_up', 'confirmed'] } } });
  expect(new Set(events.map(({ eventTopic }) => eventTopic)).size).toBe(events.length);
  await user.signOut();
  expect(await db.patientSession.count({ where: { endedAt: null } })).toBe(0);
  return requests;
}

/**
 * The long form cuts each request separately; the short form cuts the first to each URL in one run. A lost request
 * changes nothing, so the short form does that for every second flow only.
 */
const cutsOf = (requests: number, flow: number): NonNullable<Cut>[] => {
  const numbers = Array.from({ length: requests }, (_, index) => index + 1);
  const those: NonNullable<Cut>['at'][] = LONG ? numbers : ['the first of each address'];
  const ways = LONG || flow % 2 === 0 ? (['there', 'back'] as const) : (['back'] as const);
  return those.flatMap((at) => ways.map((where) => ({ at, where })));
};

describe.each(FLOWS)('%s', (name, flow) => {
  test('ends with one patient and one session when any request or response is lost', async () => {
    const requests = LONG ? await run(flow, null) : 0;
    const index = FLOWS.findIndex(([one]) => one === name);
    for (const cut of cutsOf(requests, index))
      await run(flow, cut).then(
        (count) => expect(count).toBeGreaterThanOrEqual(2),
        (error) => {
          throw new Error(`lost on the way ${cut.where}: ${cut.at}`, { cause: error });
        },
      );
  }, 300_000);
});

test('sign-out reaches the service when any request or response is lost', async () => {
  for (let at = 1; at <= 2; at++)
    for (const where of ['there', 'back'] as const) {
      // The short form loses the first request's response and the second request.
      if (!LONG && (at === 1) !== (where === 'back')) continue;
      clinic = await bench.tenant();
      const { passwordless: token } = await getConfigurationTokens(clinic.ctx);
      let line = globalThis.fetch;
      passwordless.configure(token, { storage: memoryStorage(), fetch: (...request) => line(...request) });
      const number = newNumber();
      await passwordless.signUp(number);
      await passwordless.completeSignIn(await passwordless.signIn(number), await bench.codeFor(number));
      line = cutting({ at, where }).fetch;
      await persist(() => user.signOut()).catch((error) => expect(error.code).toBe('not_signed_in'));
      expect(await clinic.ctx.db.patientSession.count({ where: { endedAt: null } })).toBe(0);
      await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'not_signed_in' });
    }
});
