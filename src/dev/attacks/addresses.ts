import { newAttempt, register } from '../testing/password-client.ts';
import type { Group } from './attack.ts';
import { assertHolds } from './helpers.ts';
import { CODE } from './mailbox.ts';
import { codeOf, type Person } from './people.ts';
import type { World } from './world.ts';

const THIEFS = 'the thief chose this passphrase';

/** Changes a patient's email with the known-device secret, which a thief may have too. */
async function move(world: World, who: Person, to: string, from = who.source): Promise<void> {
  const { people } = world.clinic;
  const { device, accessToken } = who;
  const asked = await people.as(from, accessToken, 'PATCH', '/email', { email: to, device });
  assertHolds(asked.status === 202, `a known device may not move: ${asked.text}`);
  const code = await world.mailbox.codeFor(to);
  const verified = await people.as(from, accessToken, 'POST', '/email/verify', { code, device });
  assertHolds(verified.body?.email === to, `a known device could not move: ${verified.text}`);
}

async function assertTokenRejected(world: World, owner: Person, more: object): Promise<void> {
  const { people } = world.clinic;
  const thief = world.newSource();
  const [email, phone_number] = [world.newEmail('thief'), world.newNumber()];
  const steps: [string, string, object][] = [
    ['PATCH', '/email', { email }],
    ['POST', '/email/verify', { code: '123456' }],
    ['PATCH', '/phone', { phone_number }],
    ['POST', '/phone/verify', { code: '123456' }],
  ];
  for (const [method, path, body] of steps) {
    const response = await people.as(thief, owner.accessToken, method, path, { ...body, ...more });
    assertHolds(codeOf(response) === '403 proof_required', `${method} ${path}: ${codeOf(response)}`);
  }
  await world.mailbox.settle();
  const sent = [...(await world.mailbox.read(email)), ...(await world.mailbox.read(phone_number))];
  assertHolds(sent.length === 0, 'a code was sent to the address of the thief');
}

/**
 * The abuse of a stolen access token. That an undo link expires after 72 hours and a known device after 90 days is
 * tested in `address-changes/undo-change.db.test.ts` and `proofs/stolen-token.db.test.ts`; staff's identity check in
 * `identity/patients/help/help-sign-in.db.test.ts`.
 */
export const ADDRESSES: Group = {
  title: 'an attacker has the access token of a patient',
  attacks: [
    {
      name: 'changes the address of a patient with a password, with the token alone',
      run: async (world) => assertTokenRejected(world, await world.ada(), {}),
    },
    {
      name: 'changes the address of a patient with a phone number, with the token alone',
      run: async (world) => assertTokenRejected(world, await world.clinic.people.byPhone(world.newNumber()), {}),
    },
    {
      name: 'changes it with the known device of another account, of this clinic and of another',
      isLong: true,
      async run(world) {
        const owner = await world.clinic.people.byPhone(world.newNumber());
        const own = await world.clinic.people.byPhone(world.newNumber());
        const elsewhere = await world.other.people.byPhone(world.newNumber());
        for (const device of [own.device, elsewhere.device, 'made.up'])
          await assertTokenRejected(world, owner, { device });
        await assertTokenRejected(world, owner, { proof: 'made.up' });
      },
    },
    {
      name: 'guesses the code that proves the current address',
      async run(world) {
        const { people } = world.clinic;
        const { source, accessToken } = await people.byPhone(world.newNumber());
        const asked = await people.as(source, accessToken, 'POST', '/proof/code', {});
        assertHolds(asked.status === 202, `no code was sent: ${asked.text}`);
        for (let n = 0; n < 8; n++) {
          const code = String(100_000 + n);
          const response = await people.as(world.newSource(), accessToken, 'POST', '/proof', { code });
          assertHolds(response.status >= 400, `a guess was taken: ${response.text}`);
          if (n > 5) assertHolds(codeOf(response) !== '422 invalid_code', `guess ${n + 1} was still tried`);
        }
      },
    },
    {
      name: 'has the device too: changes the address, and the old address undoes it and ends every session',
      isLong: true,
      async run(world) {
        const { people } = world.clinic;
        const [email, thiefs] = [world.newEmail(), world.newEmail('thief')];
        const who = await people.byEmail(email);
        const thief = world.newSource();
        await move(world, who, thiefs, thief);
        const theirs = await people.signIn(thief, thiefs);
        assertHolds(theirs.status === 200, 'the attack could not be prepared: the thief has no session');
        const token = await world.mailbox.tokenFor(email, 'undo');
        const undone = await world.link(world.newSource(), 'addressChanges.undo', { token });
        assertHolds(undone.body?.restored === true && undone.body.needs === 'password', `not undone: ${undone.text}`);
        for (const one of [who.accessToken, theirs.body.access_token]) {
          const response = await people.as(thief, one, 'GET', '');
          assertHolds(response.status === 401, `a session lives on after the undoing: ${response.status}`);
        }
        const refresh = { grant_type: 'refresh_token', refresh_token: theirs.body.refresh_token };
        const form = { ...refresh, client_id: people.ids.credentials };
        const renewed = await thief.send('POST', `${world.auth}/oauth2/token`, { form });
        assertHolds(renewed.status === 400, `the thief's session was refreshed: ${renewed.status}`);
        const again = await people.signIn(thief, thiefs);
        assertHolds(again.status !== 200, 'the thief signed in again');
        const back = await people.signIn(world.newSource(), email);
        assertHolds(
          back.body?.new_password_required === true,
          `the owner cannot go on by the password: ${codeOf(back)}`,
        );
      },
    },
    {
      name: 'has the old mailbox: undoes the change, then resets the password by email',
      isLong: true,
      async run(world) {
        const { people } = world.clinic;
        const [lost, own] = [world.newEmail('lost'), world.newEmail()];
        const who = await people.byEmail(lost);
        await move(world, who, own);
        const token = await world.mailbox.tokenFor(lost, 'undo');
        const thief = world.newSource();
        await world.link(thief, 'addressChanges.undo', { token });
        const before = (await world.mailbox.read(lost)).map(({ id }) => id);
        const asked = { client_id: people.ids.credentials, email: lost, attempt: newAttempt() };
        await people.post(thief, '/credentials/reset', asked);
        await world.mailbox.awaitText(lost, /paused|cannot do that/);
        const since = (await world.mailbox.read(lost)).filter(({ id }) => !before.includes(id));
        assertHolds(!since.some(({ text }) => CODE.test(text)), 'a code was mailed to the lost mailbox');
        for (const code of ['000000', '123456']) {
          const done = await people.post(thief, '/credentials/reset/complete', {
            ...asked,
            code,
            srp: register(THIEFS),
          });
          assertHolds(done.status === 422, `a reset went through: ${done.status}`);
        }
      },
    },
    {
      name: 'changes the password without the old one',
      async run(world) {
        const { people } = world.clinic;
        const { accessToken } = await world.ada();
        const body = { handshake: 'a.b', M1: 'ab'.repeat(32), srp: register(THIEFS) };
        const response = await people.as(world.newSource(), accessToken, 'PUT', '/password', body);
        assertHolds(response.status >= 400, `the password was changed: ${response.status}`);
      },
    },
    {
      name: 'changes the address as an application that impersonates a patient who signs in',
      async run(world) {
        const { people } = world.clinic;
        const application = await world.clinic.application(['patients:impersonate']);
        const owners = [await world.ada(), await people.byPhone(world.newNumber())];
        for (const { id, device } of owners) {
          const token = await world.impersonate(application, id);
          for (const [method, path, body] of [
            ['PATCH', '/email', { email: world.newEmail(), device }],
            ['PATCH', '/phone', { phone_number: world.newNumber(), device }],
            ['PUT', '/password', { handshake: 'a.b', M1: 'ab'.repeat(32), srp: register(THIEFS) }],
          ] as [string, string, object][]) {
            const response = await people.as(world.newSource(), token, method, path, body);
            assertHolds(codeOf(response) === '403 forbidden', `${method} ${path}: ${codeOf(response)}`);
          }
        }
      },
    },
    {
      name: 'keeps changing it as an application after a patient who did not sign in was invited',
      async run(world) {
        const { people } = world.clinic;
        const application = await world.clinic.application(['patients:impersonate', 'patients:write']);
        const email = world.newEmail();
        const created = await world.api(application.token, 'POST', '/patients', { first_name: 'Ada' });
        const token = await world.impersonate(application, created.body.id);
        const source = world.newSource();
        const asked = await people.as(source, token, 'PATCH', '/email', { email });
        assertHolds(asked.status === 202, `the application may not do what the patient could: ${asked.text}`);
        const code = await world.mailbox.codeFor(email);
        const moved = await people.as(source, token, 'POST', '/email/verify', { code });
        assertHolds(moved.body?.email === email, `nor finish it: ${moved.text}`);
        const invited = await world.api(application.token, 'POST', `/patients/${created.body.id}/invite`, {});
        assertHolds(invited.status === 200, `not invited: ${invited.text}`);
        const again = await people.as(source, token, 'PATCH', '/email', { email: world.newEmail() });
        assertHolds(codeOf(again) === '403 forbidden', `after the invitation: ${codeOf(again)}`);
      },
    },
  ],
};
