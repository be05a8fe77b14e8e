import { passwordless } from '#sdk/passwordless.ts';
import { memoryStorage } from '#sdk/vault.ts';
import { newAttempt, register, signInWithPassword } from '../testing/password-client.ts';
import type { Group } from './attack.ts';
import { assertHolds, errorCodeOf } from './helpers.ts';
import { codeOf, PASSWORD } from './people.ts';
import type { Source } from './source.ts';
import { signInToPortal } from './staff.ts';
import type { AttackTarget } from './target.ts';

const registration = register(PASSWORD);

/** Sends a wrong password cheaply: any M1 is wrong. */
async function signInWrongly(
  { clinic: { people } }: AttackTarget,
  source: Source,
  email: string,
  device?: string,
): Promise<string> {
  const body = { client_id: people.ids.credentials, email, A: registration.verifier, ...(device && { device }) };
  const started = await people.post(source, '/credentials/srp/start', body);
  if (started.status !== 200) return codeOf(started);
  const { handshake } = started.body;
  return codeOf(await people.post(source, '/credentials/srp/finish', { handshake, M1: 'ab'.repeat(32) }));
}

/** Signs in with the correct password on a known device. */
async function signInCorrectly(
  { clinic: { people } }: AttackTarget,
  source: Source,
  email: string,
  device: string,
): Promise<string> {
  const post = (path: string, body: unknown) => people.post(source, path, { ...(body as object), device });
  return codeOf(await signInWithPassword({ post }, people.ids.credentials, email, PASSWORD));
}

const requestCode = ({ clinic: { people } }: AttackTarget, source: Source, phone_number: string, device?: string) =>
  people.post(source, '/passwordless/sign_in', {
    client_id: people.ids.passwordless,
    phone_number,
    ...(device && { device }),
  });

/** Tries a wrong portal password several times, each from another IP address. */
async function signInWronglyToPortal(
  { portal, newSource }: AttackTarget,
  email: string,
  count: number,
): Promise<string[]> {
  const outcomes: string[] = [];
  for (let n = 0; n < count; n++) {
    const tried = await signInToPortal(portal, newSource(), { email, password: 'wrong' });
    outcomes.push('error' in tried ? tried.error : 'in');
  }
  return outcomes;
}

/**
 * Use up another person's codes and password attempts. A simulated day from fifty IP addresses is in
 * `codes/day-of-attack.db.test.ts`, a clinic's spending in `codes/limits.db.test.ts`, a thousand IP addresses over days
 * in `lockout/lockout.db.test.ts`, and the growth of delays in `lockouts.db.test.ts`.
 */
export const LOCKOUTS: Group = {
  title: 'an unauthenticated client locks a person out',
  attacks: [
    {
      name: 'requests codes for a number until rejected',
      async run(target) {
        const number = target.newNumber();
        const owner = await target.clinic.people.byPhone(number);
        const before = await target.mailbox.codes(number);
        const attacker = target.newSource();
        const outcomes: string[] = [];
        for (let n = 0; n < (target.isLong ? 60 : 12); n++)
          outcomes.push(codeOf(await requestCode(target, attacker, number)));
        assertHolds(outcomes.at(-1) === '429 rate_limited', `the attacker is never rejected: ${outcomes.join(', ')}`);
        await target.mailbox.settle();
        const unwanted = (await target.mailbox.codes(number)) - before;
        assertHolds(unwanted <= 1, `one address made ${unwanted} messages`);
        const own = await requestCode(target, target.newSource(), number, owner.device);
        assertHolds(own.status === 200, `the known device is rejected: ${codeOf(own)}`);
        const seen = (await target.mailbox.read(number)).map(({ id }) => id);
        assertHolds(seen.length > 0 && own.body.challenge, 'no code came');
      },
    },
    {
      name: 'requests codes for a number from many IP addresses',
      isLong: true,
      async run(target) {
        const number = target.newNumber();
        const owner = await target.clinic.people.byPhone(number);
        await target.mailbox.settle();
        const before = await target.mailbox.codes(number);
        const outcomes: string[] = [];
        const addresses = target.isLong ? 50 : 24;
        for (let n = 0; n < addresses; n++)
          outcomes.push(codeOf(await requestCode(target, target.newSource(), number)));
        const sent = outcomes.filter((one) => one === '200').length;
        assertHolds(sent <= 20, `${sent} codes were sent before a proof of work was asked for`);
        assertHolds(outcomes.at(-1) === '428 proof_of_work_required', `the last was answered: ${outcomes.at(-1)}`);
        await target.mailbox.settle();
        const unwanted = (await target.mailbox.codes(number)) - before;
        assertHolds(unwanted <= sent, `${unwanted} messages for ${sent} requests`);
        const seen = (await target.mailbox.read(number)).map(({ id }) => id);
        const own = await requestCode(target, target.newSource(), number, owner.device);
        assertHolds(own.status === 200, `the known device is rejected: ${codeOf(own)}`);
        await target.mailbox.codeFor(number, { but: seen });
        // The owner's new device solves a proof of work, which its app does automatically.
        const then = (await target.mailbox.read(number)).map(({ id }) => id);
        const { fetch } = target.newSource();
        passwordless.configure(target.clinic.tokens.passwordless, { storage: memoryStorage(), fetch });
        const error = await errorCodeOf(passwordless.signIn(number));
        assertHolds(error === null, `a new device of the owner's is rejected: ${error}`);
        await target.mailbox.codeFor(number, { but: then });
      },
    },
    {
      name: 'requests resets for invented addresses at one mail provider',
      isLong: true,
      async run(target) {
        const { people } = target.clinic;
        const email = target.newEmail();
        await people.byEmail(email);
        const before = (await target.mailbox.read(email)).map(({ id }) => id);
        const attackers = Array.from({ length: 4 }, () => target.newSource());
        const reset = (source: Source, to: string) =>
          people.post(source, '/credentials/reset', {
            client_id: people.ids.credentials,
            email: to,
            attempt: newAttempt(),
          });
        for (let n = 0; n < (target.isLong ? 300 : 40); n++)
          await reset(attackers[n % attackers.length]!, target.newEmail('invented'));
        const requested = await reset(target.newSource(), email);
        assertHolds(requested.status === 202, `patients at that provider cannot reset any more: ${codeOf(requested)}`);
        await target.mailbox.codeFor(email, { but: before });
        await people.byEmail(target.newEmail());
      },
    },
    {
      name: 'guesses a patient’s password repeatedly',
      async run(target) {
        const { people } = target.clinic;
        const email = target.newEmail();
        const owner = await people.byEmail(email);
        const attacker = target.newSource();
        const waits: string[] = [];
        for (let n = 0; n < 8; n++) waits.push(await signInWrongly(target, attacker, email));
        assertHolds(waits.includes('429 rate_limited'), `no wait after ${waits.length}: ${waits.join(', ')}`);
        const own = await signInCorrectly(target, target.newSource(), email, owner.device);
        assertHolds(own === '200', `the known device is rejected: ${own}`);
        const elsewhere = await people.signIn(target.newSource(), email);
        assertHolds(elsewhere.status === 200, `the owner is locked out elsewhere: ${codeOf(elsewhere)}`);
      },
    },
    {
      name: 'guesses it more than a hundred times, each from another IP address',
      isLong: true,
      async run(target) {
        const { people } = target.clinic;
        const email = target.newEmail();
        const owner = await people.byEmail(email);
        const outcomes: string[] = [];
        for (let n = 0; n < 104; n++) outcomes.push(await signInWrongly(target, target.newSource(), email));
        const tried = outcomes.filter((one) => one === '401 invalid_credentials').length;
        assertHolds(tried <= 100, `${tried} guesses were tried`);
        assertHolds(outcomes.at(-1) === '403 sign_in_closed', `the last was answered: ${outcomes.at(-1)}`);
        const right = await people.signIn(target.newSource(), email);
        assertHolds(codeOf(right) === '403 sign_in_closed', `an attacker may still guess: ${codeOf(right)}`);
        const source = target.newSource();
        const own = await signInCorrectly(target, source, email, owner.device);
        assertHolds(own === '200', `the known device is locked out: ${own}`);
        const token = await target.mailbox.tokenFor(email, 'new-devices');
        const opened = await target.link(source, 'signIn.reopen', { token });
        assertHolds(opened.status === 200, `the mailed link does not open it: ${opened.text}`);
        const signedIn = await people.signIn(source, email);
        assertHolds(signedIn.status === 200, `nor may the owner sign in then: ${codeOf(signedIn)}`);
      },
    },
    {
      name: 'guesses a staff user’s password 36 times',
      async run(target) {
        const member = await target.clinic.colleague('practitioner');
        const attacker = target.newSource();
        const fromOneAddress: string[] = [];
        for (let n = 0; n < 8; n++) {
          const tried = await signInToPortal(target.portal, attacker, { email: member.email, password: 'wrong' });
          fromOneAddress.push('error' in tried ? tried.error : 'in');
        }
        assertHolds(
          fromOneAddress.includes('429'),
          `no wait after ${fromOneAddress.length}: ${fromOneAddress.join(', ')}`,
        );
        const elsewhere = await signInWronglyToPortal(target, member.email, 28);
        assertHolds(![...fromOneAddress, ...elsewhere].includes('in'), 'a guess was right');
        const knownBrowser = await signInToPortal(target.portal, target.newSource(), member);
        assertHolds(
          !('error' in knownBrowser),
          `the known browser is locked out: ${'error' in knownBrowser ? knownBrowser.error : ''}`,
        );
        const { email, password } = member;
        const newBrowser = await signInToPortal(target.portal, target.newSource(), { email, password });
        assertHolds(
          !('error' in newBrowser),
          `a new browser is locked out: ${'error' in newBrowser ? newBrowser.error : ''}`,
        );
      },
    },
    {
      name: 'requests resets for a staff user three times a minute',
      async run(target) {
        const { email, device } = await target.clinic.colleague('practitioner');
        await target.mailbox.settle();
        const before = (await target.mailbox.read(email)).length;
        for (let n = 0; n < 6; n++) await target.link(target.newSource(), 'staffLinks.requestReset', { email });
        await target.mailbox.settle();
        const unwanted = (await target.mailbox.read(email)).length;
        assertHolds(unwanted - before <= 6, `${unwanted - before} messages for six requests`);
        const own = await target.link(target.newSource(), 'staffLinks.requestReset', { email }, device);
        assertHolds(own.status === 200, `the owner's own request is rejected: ${own.text}`);
        await target.mailbox.settle();
        assertHolds((await target.mailbox.read(email)).length > unwanted, 'the owner’s own reset was never mailed');
        const token = await target.mailbox.tokenFor(email, 'reset-password');
        const used = await target.link(target.newSource(), 'staffLinks.use', {
          token,
          password: 'nine hidden rivers run',
        });
        assertHolds(used.status === 200, `the owner could not set a password: ${used.text}`);
      },
    },
    {
      name: 'guesses a staff user’s password more than a hundred times',
      isLong: true,
      async run(target) {
        const member = await target.clinic.colleague('practitioner');
        const outcomes = await signInWronglyToPortal(target, member.email, 103);
        assertHolds(!outcomes.includes('in'), 'a guess was right');
        const { email, password } = member;
        const newBrowser = await signInToPortal(target.portal, target.newSource(), { email, password });
        assertHolds('error' in newBrowser, 'new browsers may go on guessing after a hundred');
        const knownBrowser = await signInToPortal(target.portal, target.newSource(), member);
        assertHolds(
          !('error' in knownBrowser),
          `the known browser is locked out: ${'error' in knownBrowser ? knownBrowser.error : ''}`,
        );
        const [token, own] = [await target.mailbox.tokenFor(email, 'new-devices'), target.newSource()];
        assertHolds(
          (await target.link(own, 'signIn.reopen', { token })).status === 200,
          'the mailed link does not open it',
        );
        const opened = await signInToPortal(target.portal, own, { email, password });
        assertHolds(!('error' in opened), `the owner is locked out: ${'error' in opened ? opened.error : ''}`);
      },
    },
  ],
};
