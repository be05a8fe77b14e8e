import { credentials } from '#sdk/credentials.ts';
import { passwordless } from '#sdk/passwordless.ts';
import { user } from '#sdk/user.ts';
import { type AuthStorage, memoryStorage } from '#sdk/vault.ts';
import { newAttempt, register } from '../testing/password-client.ts';
import { seededRandom } from '../testing/seed.ts';
import type { Attack, Group } from './attack.ts';
import { assertHolds, errorCodeOf, once, shuffled } from './helpers.ts';
import { codeOf } from './people.ts';
import { CHROME, FIREFOX, type Source } from './source.ts';
import type { AttackTarget } from './target.ts';

const OWNERS_PASSWORD = 'seven quiet rivers';
const ATTACKERS_PASSWORD = 'eight louder rivers';
const ADA = { first_name: 'Ada', birth_date: '1990-02-28', metadata: { own: 1 } };
const MALLORY = { first_name: 'Mallory', tag_list: ['vip'], metadata: { planted: true } };

/** A device: an app with the SDK, its storage, and its own IP address. */
type Device = { source: Source; storage: AuthStorage };

/** The attackers' registration; created once, because it is expensive. */
const attackersRegistration = once(() => register(ATTACKERS_PASSWORD));

/** A third-party client that signs up and tries its codes and passwords. */
function attackerClient({ clinic: { people }, newSource }: AttackTarget) {
  const source = newSource(CHROME);
  const attempt = newAttempt();
  const of = (email: string) => ({ client_id: people.ids.credentials, email, attempt });
  const post = async (path: string, body: object) => codeOf(await people.post(source, `/credentials${path}`, body));
  return {
    signUp: (email: string) => post('/sign_up', { ...of(email), srp: attackersRegistration(), attributes: MALLORY }),
    confirm: (email: string, code: string) => post('/confirm', { ...of(email), code }),
    resend: (email: string) => post('/resend', of(email)),
    reset: (email: string) => post('/reset', of(email)),
    completeReset: (email: string, code: string) =>
      post('/reset/complete', { ...of(email), code, srp: attackersRegistration() }),
    signIn: async (email: string) => codeOf(await people.signIn(source, email, ATTACKERS_PASSWORD)),
  };
}

function apps({ clinic, newSource, card, mailbox }: AttackTarget) {
  const device = (browser: string): Device => ({ source: newSource(browser), storage: memoryStorage() });
  function on<Result>({ source, storage }: Device, step: () => Promise<Result>): Promise<Result> {
    const options = { storage, fetch: source.fetch };
    passwordless.configure(clinic.tokens.passwordless, options);
    credentials.configure(clinic.tokens.credentials, options);
    return step();
  }
  return {
    owner: () => device(FIREFOX),
    attacker: () => device(CHROME),
    on,
    failureOf: (at: Device, step: () => Promise<unknown>) => errorCodeOf(on(at, step)),
    ownCode: (to: string, but: string[] = []) => mailbox.codeFor(to, { browser: 'Firefox on Linux', but }),
    attackerCode: (to: string) => mailbox.codeFor(to, { browser: 'Chrome on Windows' }),
    async me(at: Device) {
      const token = await on(at, () => user.getAccessToken());
      return (await at.source.send('GET', `${card.base_url}/patients/me`, { token })).body;
    },
  };
}

/** Asserts that the record has the owner's attributes. */
function assertAdas(record: { first_name: string; tag_list: string[]; metadata: object }): void {
  const { first_name, tag_list, metadata } = record;
  assertHolds(
    first_name === 'Ada' && tag_list.length === 0 && !('planted' in metadata),
    `the record is the attacker's: ${JSON.stringify({ first_name, tag_list, metadata })}`,
  );
}

type Who = 'owner' | 'attacker';
const ORDERS: Who[][] = [
  ['owner', 'attacker'],
  ['attacker', 'owner'],
  ['attacker', 'owner', 'attacker'],
];
function moreOrders({ seed }: AttackTarget): Who[][] {
  const random = seededRandom(seed);
  return Array.from({ length: 10 }, () => shuffled<Who>(['owner', 'attacker', 'attacker', 'attacker'], random));
}

async function signUpByEmail(target: AttackTarget, order: Who[]): Promise<void> {
  const { owner, on, failureOf, ownCode, attackerCode, me } = apps(target);
  const email = target.newEmail();
  const own = owner();
  const attackers: ReturnType<typeof attackerClient>[] = [];
  for (const who of order) {
    if (who === 'owner') await on(own, () => credentials.signUp(email, OWNERS_PASSWORD, ADA));
    else {
      const attacker = attackerClient(target);
      attackers.push(attacker);
      const outcome = await attacker.signUp(email);
      assertHolds(
        outcome === '202' || outcome === '429 rate_limited',
        `unexpected response to the other sign-up: ${outcome}`,
      );
    }
  }
  const [code, attackersCode] = [await ownCode(email), await attackerCode(email)];
  if (attackersCode !== code) {
    const error = await failureOf(own, () => credentials.confirmSignUp(email, attackersCode));
    assertHolds(error === 'invalid_code', `the code of the attacker's sign-up was accepted from the owner: ${error}`);
  }
  for (const attacker of attackers) for (let n = 0; n < 6; n++) await attacker.confirm(email, String(100_000 + n));
  const shutOut = await failureOf(own, () => credentials.confirmSignUp(email, code));
  assertHolds(shutOut === null, `the owner's own code was rejected: ${shutOut}`);
  await on(own, () => credentials.signIn(email, OWNERS_PASSWORD));
  assertAdas(await me(own));
  for (const attacker of attackers) {
    assertHolds((await attacker.confirm(email, attackersCode)) !== '204', 'the attacker could confirm afterwards');
    assertHolds((await attacker.signIn(email)) !== '200', "the attacker signed in to the owner's account");
  }
}

async function signUpByPhone(target: AttackTarget, order: Who[]): Promise<void> {
  const { owner, attacker, on, failureOf, me } = apps(target);
  const number = target.newNumber();
  const [own, theirs] = [owner(), attacker()];
  for (const who of order)
    if (who === 'owner') await on(own, () => passwordless.signUp(number, ADA));
    else await failureOf(theirs, () => passwordless.signUp(number, MALLORY));
  const pendingSignIn = await on(own, () => passwordless.signIn(number));
  const code = await target.mailbox.codeFor(number);
  const attackersSignIn = await on(theirs, () => passwordless.signIn(number)).catch(() => null);
  if (attackersSignIn)
    for (let n = 0; n < 6; n++)
      await failureOf(theirs, () => passwordless.completeSignIn(attackersSignIn, String(100_000 + n)));
  const error = await failureOf(own, () => passwordless.completeSignIn(pendingSignIn, code));
  assertHolds(error === null, `the owner's own code was rejected: ${error}`);
  assertAdas(await me(own));
}

const attack = (name: string, run: Attack['run']): Attack => ({ name, run });
const longAttack = (name: string, run: Attack['run']): Attack => ({ name, isLong: true, run });

async function prepareReset(target: AttackTarget) {
  const { owner, on, ownCode } = apps(target);
  const email = target.newEmail();
  const own = owner();
  await on(own, () => credentials.signUp(email, OWNERS_PASSWORD, ADA));
  const code = await ownCode(email);
  await on(own, () => credentials.confirmSignUp(email, code));
  const before = (await target.mailbox.read(email)).map(({ id }) => id);
  return { email, own, before };
}

/**
 * Sign-up, and every other step that starts with an address. Expiry (a sign-up that is purged after 90 days, an expired
 * code) is tested in `sign-ups/orders.db.test.ts` and `codes/misused-codes.db.test.ts`.
 */
export const SIGN_UP: Group = {
  title: 'an attacker uses the address of another person',
  attacks: [
    ...ORDERS.map((order) =>
      attack(`signs up with an email address too: ${order.join(', ')}`, (target) => signUpByEmail(target, order)),
    ),
    longAttack('signs up with it in other orders, several concurrently', async (target) => {
      for (const order of target.isLong ? moreOrders(target) : []) await signUpByEmail(target, order);
      const { owner, on, ownCode, me } = apps(target);
      const [email, own] = [target.newEmail(), owner()];
      await Promise.all([
        on(own, () => credentials.signUp(email, OWNERS_PASSWORD, ADA)),
        ...Array.from({ length: 2 }, () => attackerClient(target).signUp(email)),
      ]);
      const code = await ownCode(email);
      await on(own, () => credentials.confirmSignUp(email, code));
      await on(own, () => credentials.signIn(email, OWNERS_PASSWORD));
      assertAdas(await me(own));
    }),
    ...ORDERS.map((order) =>
      attack(`signs up with a phone number too: ${order.join(', ')}`, (target) => signUpByPhone(target, order)),
    ),
    longAttack('signs up with the email address of an invited patient', async (target) => {
      const { owner, failureOf, me } = apps(target);
      const { token } = await target.clinic.application(['patients:write']);
      const [email, own, theirs] = [target.newEmail(), owner(), attackerClient(target)];
      const invited = await target.api(token, 'POST', '/patients/invite', { email, first_name: 'Ada' });
      assertHolds(invited.status === 201, `not invited: ${invited.text}`);
      const temporary = await target.mailbox.temporaryFor(email);
      await theirs.signUp(email);
      await attackerClient(target).resend(email);
      await attackerClient(target).reset(email);
      const set = () => credentials.completeInvitationAndSetPassword(email, temporary, OWNERS_PASSWORD);
      const error = await failureOf(own, set);
      assertHolds(error === null, `the invitation does not work any more: ${error}`);
      assertAdas(await me(own));
      assertHolds((await theirs.signIn(email)) !== '200', 'the attacker signed in to the account of who was invited');
    }),
    attack('signs up with the number of an invited patient', async (target) => {
      const { owner, attacker, on, failureOf, me } = apps(target);
      const { token } = await target.clinic.application(['patients:write']);
      const [number, own] = [target.newNumber(), owner()];
      const values = { phone_number: number, first_name: 'Ada' };
      assertHolds((await target.api(token, 'POST', '/patients/invite', values)).status === 201, 'not invited');
      await failureOf(attacker(), () => passwordless.signUp(number, MALLORY));
      const pendingSignIn = await on(own, () => passwordless.signIn(number));
      const code = await target.mailbox.codeFor(number);
      await on(own, () => passwordless.completeSignIn(pendingSignIn, code));
      assertAdas(await me(own));
    }),
    longAttack('requests a reset as well, right after the confirmation, and guesses', async (target) => {
      const { on, failureOf, ownCode, attackerCode } = apps(target);
      const { email, own, before } = await prepareReset(target);
      const theirs = attackerClient(target);
      await on(own, () => credentials.requestPasswordReset(email));
      await theirs.reset(email);
      const [code, attackersCode] = [await ownCode(email, before), await attackerCode(email)];
      if (attackersCode !== code) {
        const error = await failureOf(own, () =>
          credentials.completePasswordReset(email, attackersCode, OWNERS_PASSWORD),
        );
        assertHolds(
          error === 'invalid_code',
          `a code that an attacker requested works on the owner's device: ${error}`,
        );
      }
      for (let n = 0; n < 6; n++) await theirs.completeReset(email, String(100_000 + n));
      const stolen = await theirs.completeReset(email, code);
      assertHolds(stolen !== '204', 'the code that the owner requested works on a device of the attacker');
      const error = await failureOf(own, () => credentials.completePasswordReset(email, code, 'nine hidden rivers'));
      assertHolds(error === null, `the owner could not set a new password: ${error}`);
    }),
    longAttack('changes the address of their own account to it', async (target) => {
      const { people } = target.clinic;
      const { mailbox } = target;
      const [owner, thief] = [await people.byEmail(target.newEmail()), await people.byEmail(target.newEmail())];
      const newAddress = target.newEmail();
      const requestChange = (who: typeof owner) =>
        people.as(who.source, who.accessToken, 'PATCH', '/email', { email: newAddress, device: who.device });
      assertHolds((await requestChange(owner)).status === 202, 'the owner could not ask for a change');
      const code = await mailbox.codeFor(newAddress);
      const read = (await mailbox.read(newAddress)).map(({ id }) => id);
      if ((await requestChange(thief)).status === 202) {
        const attackersCode = await mailbox.codeFor(newAddress, { but: read });
        const verify = { code: attackersCode, device: owner.device };
        const response = await people.as(owner.source, owner.accessToken, 'POST', '/email/verify', verify);
        assertHolds(
          attackersCode === code || response.status === 422,
          `a code of the attacker's was accepted: ${response.text}`,
        );
      }
      const own = { code, device: owner.device };
      const stolen = { code, device: thief.device };
      const theirs = await people.as(thief.source, thief.accessToken, 'POST', '/email/verify', stolen);
      assertHolds(theirs.status === 422, `the owner's code changed the attacker's account: ${theirs.text}`);
      const changed = await people.as(owner.source, owner.accessToken, 'POST', '/email/verify', own);
      assertHolds(changed.body?.email === newAddress, `the owner could not change the address: ${changed.text}`);
    }),
    attack('does not prevent sign-ins with a code, one after the other', async (target) => {
      const { owner, on, failureOf } = apps(target);
      const [number, own] = [target.newNumber(), owner()];
      await on(own, () => passwordless.signUp(number, ADA));
      const seen: string[] = [];
      for (let n = 0; n < (target.isLong ? 10 : 4); n++) {
        const at = n % 2 ? own : { ...own, storage: memoryStorage() };
        const pendingSignIn = await on(at, () => passwordless.signIn(number)).catch((error) => error);
        assertHolds('challenge' in pendingSignIn, `sign-in ${n + 1} has to wait: ${pendingSignIn.code}`);
        const code = await target.mailbox.codeFor(number, { but: seen });
        seen.push(...(await target.mailbox.read(number)).map(({ id }) => id));
        const error = await failureOf(at, () => passwordless.completeSignIn(pendingSignIn, code));
        assertHolds(error === null, `the code was rejected: ${error}`);
      }
    }),
  ],
};
