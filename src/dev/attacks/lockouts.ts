import { passwordless } from '#sdk/passwordless.ts';
import { memoryStorage } from '#sdk/vault.ts';
import { newAttempt, register, signInWithPassword } from '../testing/password-client.ts';
import type { Group } from './attack.ts';
import { assertHolds, errorCodeOf } from './helpers.ts';
import { codeOf, PASSWORD } from './people.ts';
import type { Source } from './source.ts';
import { signInToPortal } from './staff.ts';
import type { World } from './world.ts';

const registration = register(PASSWORD);

/** Sends a wrong password cheaply: any M1 is wrong. */
async function wrong({ clinic: { people } }: World, source: Source, email: string, device?: string): Promise<string> {
  const asked = { client_id: people.ids.credentials, email, A: registration.verifier, ...(device && { device }) };
  const started = await people.post(source, '/credentials/srp/start', asked);
  if (started.status !== 200) return codeOf(started);
  const { handshake } = started.body;
  return codeOf(await people.post(source, '/credentials/srp/finish', { handshake, M1: 'ab'.repeat(32) }));
}

/** Signs in with the correct password on a known device. */
async function rightFrom(
  { clinic: { people } }: World,
  source: Source,
  email: string,
  device: string,
): Promise<string> {
  const post = (path: string, body: unknown) => people.post(source, path, { ...(body as object), device });
  return codeOf(await signInWithPassword({ post }, people.ids.credentials, email, PASSWORD));
}

const textTo = ({ clinic: { people } }: World, source: Source, phone_number: string, device?: string) =>
  people.post(source, '/passwordless/sign_in', {
    client_id: people.ids.passwordless,
    phone_number,
    ...(device && { device }),
  });

/** Tries a wrong portal password several times, each from another IP address. */
async function wrongInPortal({ portal, newSource }: World, email: string, count: number): Promise<string[]> {
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
      async run(world) {
        const number = world.newNumber();
        const owner = await world.clinic.people.byPhone(number);
        const before = await world.mailbox.codes(number);
        const attacker = world.newSource();
        const asked: string[] = [];
        for (let n = 0; n < (world.isLong ? 60 : 12); n++) asked.push(codeOf(await textTo(world, attacker, number)));
        assertHolds(asked.at(-1) === '429 rate_limited', `the attacker is never rejected: ${asked.join(', ')}`);
        await world.mailbox.settle();
        const unwanted = (await world.mailbox.codes(number)) - before;
        assertHolds(unwanted <= 1, `one address made ${unwanted} messages`);
        const own = await textTo(world, world.newSource(), number, owner.device);
        assertHolds(own.status === 200, `the known device is rejected: ${codeOf(own)}`);
        const seen = (await world.mailbox.read(number)).map(({ id }) => id);
        assertHolds(seen.length > 0 && own.body.challenge, 'no code came');
      },
    },
    {
      name: 'requests codes for a number from many IP addresses',
      isLong: true,
      async run(world) {
        const number = world.newNumber();
        const owner = await world.clinic.people.byPhone(number);
        await world.mailbox.settle();
        const before = await world.mailbox.codes(number);
        const asked: string[] = [];
        const addresses = world.isLong ? 50 : 24;
        for (let n = 0; n < addresses; n++) asked.push(codeOf(await textTo(world, world.newSource(), number)));
        const sent = asked.filter((one) => one === '200').length;
        assertHolds(sent <= 20, `${sent} codes were sent before a proof of work was asked for`);
        assertHolds(asked.at(-1) === '428 proof_of_work_required', `the last was answered: ${asked.at(-1)}`);
        await world.mailbox.settle();
        const unwanted = (await world.mailbox.codes(number)) - before;
        assertHolds(unwanted <= sent, `${unwanted} messages for ${sent} requests`);
        const seen = (await world.mailbox.read(number)).map(({ id }) => id);
        const own = await textTo(world, world.newSource(), number, owner.device);
        assertHolds(own.status === 200, `the known device is rejected: ${codeOf(own)}`);
        await world.mailbox.codeFor(number, { but: seen });
        // The owner's new device solves a proof of work, which its app does automatically.
        const then = (await world.mailbox.read(number)).map(({ id }) => id);
        const { fetch } = world.newSource();
        passwordless.configure(world.clinic.tokens.passwordless, { storage: memoryStorage(), fetch });
        const error = await errorCodeOf(passwordless.signIn(number));
        assertHolds(error === null, `a new device of the owner's is rejected: ${error}`);
        await world.mailbox.codeFor(number, { but: then });
      },
    },
    {
      name: 'requests resets for invented addresses at one mail provider',
      isLong: true,
      async run(world) {
        const { people } = world.clinic;
        const email = world.newEmail();
        await people.byEmail(email);
        const before = (await world.mailbox.read(email)).map(({ id }) => id);
        const attackers = Array.from({ length: 4 }, () => world.newSource());
        const reset = (source: Source, to: string) =>
          people.post(source, '/credentials/reset', {
            client_id: people.ids.credentials,
            email: to,
            attempt: newAttempt(),
          });
        for (let n = 0; n < (world.isLong ? 300 : 40); n++)
          await reset(attackers[n % attackers.length]!, world.newEmail('invented'));
        const asked = await reset(world.newSource(), email);
        assertHolds(asked.status === 202, `patients at that provider cannot reset any more: ${codeOf(asked)}`);
        await world.mailbox.codeFor(email, { but: before });
        await people.byEmail(world.newEmail());
      },
    },
    {
      name: 'guesses a patient’s password repeatedly',
      async run(world) {
        const { people } = world.clinic;
        const email = world.newEmail();
        const owner = await people.byEmail(email);
        const attacker = world.newSource();
        const waits: string[] = [];
        for (let n = 0; n < 8; n++) waits.push(await wrong(world, attacker, email));
        assertHolds(waits.includes('429 rate_limited'), `no wait after ${waits.length}: ${waits.join(', ')}`);
        const own = await rightFrom(world, world.newSource(), email, owner.device);
        assertHolds(own === '200', `the known device is rejected: ${own}`);
        const elsewhere = await people.signIn(world.newSource(), email);
        assertHolds(elsewhere.status === 200, `the owner is shut out elsewhere: ${codeOf(elsewhere)}`);
      },
    },
    {
      name: 'guesses it more than a hundred times, each from another IP address',
      isLong: true,
      async run(world) {
        const { people } = world.clinic;
        const email = world.newEmail();
        const owner = await people.byEmail(email);
        const outcomes: string[] = [];
        for (let n = 0; n < 104; n++) outcomes.push(await wrong(world, world.newSource(), email));
        const tried = outcomes.filter((one) => one === '401 invalid_credentials').length;
        assertHolds(tried <= 100, `${tried} guesses were tried`);
        assertHolds(outcomes.at(-1) === '403 sign_in_closed', `the last was answered: ${outcomes.at(-1)}`);
        const right = await people.signIn(world.newSource(), email);
        assertHolds(codeOf(right) === '403 sign_in_closed', `an attacker may still guess: ${codeOf(right)}`);
        const source = world.newSource();
        const own = await rightFrom(world, source, email, owner.device);
        assertHolds(own === '200', `the known device is shut out: ${own}`);
        const token = await world.mailbox.tokenFor(email, 'new-devices');
        const opened = await world.link(source, 'signIn.reopen', { token });
        assertHolds(opened.status === 200, `the mailed link does not open it: ${opened.text}`);
        const again = await people.signIn(source, email);
        assertHolds(again.status === 200, `nor may the owner sign in then: ${codeOf(again)}`);
      },
    },
    {
      name: 'guesses a staff user’s password 36 times',
      async run(world) {
        const member = await world.clinic.colleague('practitioner');
        const attacker = world.newSource();
        const there: string[] = [];
        for (let n = 0; n < 8; n++) {
          const tried = await signInToPortal(world.portal, attacker, { email: member.email, password: 'wrong' });
          there.push('error' in tried ? tried.error : 'in');
        }
        assertHolds(there.includes('429'), `no wait after ${there.length}: ${there.join(', ')}`);
        const elsewhere = await wrongInPortal(world, member.email, 28);
        assertHolds(![...there, ...elsewhere].includes('in'), 'a guess was right');
        const known = await signInToPortal(world.portal, world.newSource(), member);
        assertHolds(!('error' in known), `the known browser is shut out: ${'error' in known ? known.error : ''}`);
        const { email, password } = member;
        const fresh = await signInToPortal(world.portal, world.newSource(), { email, password });
        assertHolds(!('error' in fresh), `a new browser is shut out: ${'error' in fresh ? fresh.error : ''}`);
      },
    },
    {
      name: 'requests resets for a staff user three times a minute',
      async run(world) {
        const { email, device } = await world.clinic.colleague('practitioner');
        await world.mailbox.settle();
        const before = (await world.mailbox.read(email)).length;
        for (let n = 0; n < 6; n++) await world.link(world.newSource(), 'staffLinks.requestReset', { email });
        await world.mailbox.settle();
        const unwanted = (await world.mailbox.read(email)).length;
        assertHolds(unwanted - before <= 6, `${unwanted - before} messages for six requests`);
        const own = await world.link(world.newSource(), 'staffLinks.requestReset', { email }, device);
        assertHolds(own.status === 200, `the owner's own request is rejected: ${own.text}`);
        await world.mailbox.settle();
        assertHolds((await world.mailbox.read(email)).length > unwanted, 'the owner’s own reset was never mailed');
        const token = await world.mailbox.tokenFor(email, 'reset-password');
        const used = await world.link(world.newSource(), 'staffLinks.use', {
          token,
          password: 'nine hidden rivers run',
        });
        assertHolds(used.status === 200, `the owner could not set a password: ${used.text}`);
      },
    },
    {
      name: 'guesses a staff user’s password more than a hundred times',
      isLong: true,
      async run(world) {
        const member = await world.clinic.colleague('practitioner');
        const outcomes = await wrongInPortal(world, member.email, 103);
        assertHolds(!outcomes.includes('in'), 'a guess was right');
        const { email, password } = member;
        const fresh = await signInToPortal(world.portal, world.newSource(), { email, password });
        assertHolds('error' in fresh, 'new browsers may go on guessing after a hundred');
        const known = await signInToPortal(world.portal, world.newSource(), member);
        assertHolds(!('error' in known), `the known browser is shut out: ${'error' in known ? known.error : ''}`);
        const [token, own] = [await world.mailbox.tokenFor(email, 'new-devices'), world.newSource()];
        assertHolds(
          (await world.link(own, 'signIn.reopen', { token })).status === 200,
          'the mailed link does not open it',
        );
        const opened = await signInToPortal(world.portal, own, { email, password });
        assertHolds(!('error' in opened), `the owner is shut out: ${'error' in opened ? opened.error : ''}`);
      },
    },
  ],
};
