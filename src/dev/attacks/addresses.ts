import { newAttempt, register } from '../testing/password-client.ts';
import type { Group } from './attack.ts';
import { assertHolds } from './helpers.ts';
import { CODE } from './mailbox.ts';
import { codeOf, type Person } from './people.ts';
import type { AttackTarget } from './target.ts';

const THIEFS_PASSWORD = 'the thief chose this passphrase';

/** Changes a patient's email with the known-device secret, which a thief may have too. */
async function changeEmail(target: AttackTarget, patient: Person, to: string, from = patient.source): Promise<void> {
  const { people } = target.clinic;
  const { device, accessToken } = patient;
  const requested = await people.as(from, accessToken, 'PATCH', '/email', { email: to, device });
  assertHolds(requested.status === 202, `a known device may not change the address: ${requested.text}`);
  const code = await target.mailbox.codeFor(to);
  const verified = await people.as(from, accessToken, 'POST', '/email/verify', { code, device });
  assertHolds(verified.body?.email === to, `a known device could not verify the address: ${verified.text}`);
}

async function assertTokenRejected(target: AttackTarget, owner: Person, more: object): Promise<void> {
  const { people } = target.clinic;
  const thief = target.newSource();
  const [email, phone_number] = [target.newEmail('thief'), target.newNumber()];
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
  await target.mailbox.settle();
  const sent = [...(await target.mailbox.read(email)), ...(await target.mailbox.read(phone_number))];
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
      run: async (target) => assertTokenRejected(target, await target.ada(), {}),
    },
    {
      name: 'changes the address of a patient with a phone number, with the token alone',
      run: async (target) => assertTokenRejected(target, await target.clinic.people.byPhone(target.newNumber()), {}),
    },
    {
      name: 'changes it with the known device of another account, of this clinic and of another',
      isLong: true,
      async run(target) {
        const owner = await target.clinic.people.byPhone(target.newNumber());
        const own = await target.clinic.people.byPhone(target.newNumber());
        const elsewhere = await target.other.people.byPhone(target.newNumber());
        for (const device of [own.device, elsewhere.device, 'made.up'])
          await assertTokenRejected(target, owner, { device });
        await assertTokenRejected(target, owner, { proof: 'made.up' });
      },
    },
    {
      name: 'guesses the code that proves the current address',
      async run(target) {
        const { people } = target.clinic;
        const { source, accessToken } = await people.byPhone(target.newNumber());
        const requested = await people.as(source, accessToken, 'POST', '/proof/code', {});
        assertHolds(requested.status === 202, `no code was sent: ${requested.text}`);
        for (let n = 0; n < 8; n++) {
          const code = String(100_000 + n);
          const response = await people.as(target.newSource(), accessToken, 'POST', '/proof', { code });
          assertHolds(response.status >= 400, `a guess was accepted: ${response.text}`);
          if (n > 5) assertHolds(codeOf(response) !== '422 invalid_code', `guess ${n + 1} was still tried`);
        }
      },
    },
    {
      name: 'has the device too: changes the address, and the old address undoes it and ends every session',
      isLong: true,
      async run(target) {
        const { people } = target.clinic;
        const [email, thiefs] = [target.newEmail(), target.newEmail('thief')];
        const patient = await people.byEmail(email);
        const thief = target.newSource();
        await changeEmail(target, patient, thiefs, thief);
        const theirs = await people.signIn(thief, thiefs);
        assertHolds(theirs.status === 200, 'the attack could not be prepared: the thief has no session');
        const token = await target.mailbox.tokenFor(email, 'undo');
        const undone = await target.link(target.newSource(), 'addressChanges.undo', { token });
        assertHolds(undone.body?.restored === true && undone.body.needs === 'password', `not undone: ${undone.text}`);
        for (const one of [patient.accessToken, theirs.body.access_token]) {
          const response = await people.as(thief, one, 'GET', '');
          assertHolds(response.status === 401, `a session lives on after the undoing: ${response.status}`);
        }
        const refresh = { grant_type: 'refresh_token', refresh_token: theirs.body.refresh_token };
        const form = { ...refresh, client_id: people.ids.credentials };
        const renewed = await thief.send('POST', `${target.auth}/oauth2/token`, { form });
        assertHolds(renewed.status === 400, `the thief's session was refreshed: ${renewed.status}`);
        const thiefsSignIn = await people.signIn(thief, thiefs);
        assertHolds(thiefsSignIn.status !== 200, 'the thief signed in again');
        const ownersSignIn = await people.signIn(target.newSource(), email);
        assertHolds(
          ownersSignIn.body?.new_password_required === true,
          `the owner cannot go on by the password: ${codeOf(ownersSignIn)}`,
        );
      },
    },
    {
      name: 'has the old mailbox: undoes the change, then resets the password by email',
      isLong: true,
      async run(target) {
        const { people } = target.clinic;
        const [lost, own] = [target.newEmail('lost'), target.newEmail()];
        const patient = await people.byEmail(lost);
        await changeEmail(target, patient, own);
        const token = await target.mailbox.tokenFor(lost, 'undo');
        const thief = target.newSource();
        await target.link(thief, 'addressChanges.undo', { token });
        const before = (await target.mailbox.read(lost)).map(({ id }) => id);
        const resetRequest = { client_id: people.ids.credentials, email: lost, attempt: newAttempt() };
        await people.post(thief, '/credentials/reset', resetRequest);
        await target.mailbox.awaitText(lost, /paused|cannot do that/);
        const since = (await target.mailbox.read(lost)).filter(({ id }) => !before.includes(id));
        assertHolds(!since.some(({ text }) => CODE.test(text)), 'a code was mailed to the lost mailbox');
        for (const code of ['000000', '123456']) {
          const done = await people.post(thief, '/credentials/reset/complete', {
            ...resetRequest,
            code,
            srp: register(THIEFS_PASSWORD),
          });
          assertHolds(done.status === 422, `a reset went through: ${done.status}`);
        }
      },
    },
    {
      name: 'changes the password without the old one',
      async run(target) {
        const { people } = target.clinic;
        const { accessToken } = await target.ada();
        const body = { handshake: 'a.b', M1: 'ab'.repeat(32), srp: register(THIEFS_PASSWORD) };
        const response = await people.as(target.newSource(), accessToken, 'PUT', '/password', body);
        assertHolds(response.status >= 400, `the password was changed: ${response.status}`);
      },
    },
    {
      name: 'changes the address as an application that impersonates a patient who signs in',
      async run(target) {
        const { people } = target.clinic;
        const application = await target.clinic.application(['patients:impersonate']);
        const owners = [await target.ada(), await people.byPhone(target.newNumber())];
        for (const { id, device } of owners) {
          const token = await target.impersonate(application, id);
          for (const [method, path, body] of [
            ['PATCH', '/email', { email: target.newEmail(), device }],
            ['PATCH', '/phone', { phone_number: target.newNumber(), device }],
            ['PUT', '/password', { handshake: 'a.b', M1: 'ab'.repeat(32), srp: register(THIEFS_PASSWORD) }],
          ] as [string, string, object][]) {
            const response = await people.as(target.newSource(), token, method, path, body);
            assertHolds(codeOf(response) === '403 forbidden', `${method} ${path}: ${codeOf(response)}`);
          }
        }
      },
    },
    {
      name: 'keeps changing it as an application after a patient who did not sign in was invited',
      async run(target) {
        const { people } = target.clinic;
        const application = await target.clinic.application(['patients:impersonate', 'patients:write']);
        const email = target.newEmail();
        const created = await target.api(application.token, 'POST', '/patients', { first_name: 'Ada' });
        const token = await target.impersonate(application, created.body.id);
        const source = target.newSource();
        const requested = await people.as(source, token, 'PATCH', '/email', { email });
        assertHolds(requested.status === 202, `the application may not do what the patient could: ${requested.text}`);
        const code = await target.mailbox.codeFor(email);
        const verified = await people.as(source, token, 'POST', '/email/verify', { code });
        assertHolds(verified.body?.email === email, `nor finish it: ${verified.text}`);
        const invited = await target.api(application.token, 'POST', `/patients/${created.body.id}/invite`, {});
        assertHolds(invited.status === 200, `not invited: ${invited.text}`);
        const second = await people.as(source, token, 'PATCH', '/email', { email: target.newEmail() });
        assertHolds(codeOf(second) === '403 forbidden', `after the invitation: ${codeOf(second)}`);
      },
    },
  ],
};
