import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { InvitationExpiredError } from './errors.ts';
import { credentials, user } from './node.ts';
import { makeVerifier, type SrpRegistration } from './srp/make-verifier.ts';
import { SUITE } from './srp/suite.ts';
import { CODE, type FakeIdentity, startFakeIdentity } from './testing/fake-identity.ts';
import { memoryStorage } from './vault.ts';

const PASSWORD = 'seven quiet rivers';
const NEW_PASSWORD = 'eight louder rivers';
const START = 'POST /credentials/srp/start';
const FINISH = 'POST /credentials/srp/finish';

/** Builds a manipulation of one field in the response of an endpoint. */
const ofField =
  (path: string, field: string) =>
  (value: unknown): [string, string, unknown] => [path, field, value];
const even = (hex: string) => hex.padStart(hex.length + (hex.length % 2), '0');

describe('sign-in by email and password', () => {
  let identity: FakeIdentity;
  let registered = 0;
  let registration: SrpRegistration;
  const newPerson = (state: { isConfirmed?: boolean; invitation?: 'open' | 'expired' } = { isConfirmed: true }) => {
    const email = `ada${++registered}@example.test`;
    return identity.add({ email, srp: { ...registration }, ...state }) as typeof state & { email: string };
  };
  beforeAll(async () => {
    identity = await startFakeIdentity();
    registration = await makeVerifier(PASSWORD);
    newPerson();
  });
  beforeEach(() => {
    credentials.configure(identity.configurationToken('credentials'), { storage: memoryStorage() });
  });
  afterEach(() => {
    Object.assign(identity.control, { tamper: null, losses: [], instead: {}, isDown: false });
  });
  afterAll(() => identity.close());

  test('signs up, confirms and signs in without ever sending the password', async () => {
    await credentials.signUp(' Grace@Example.test ', PASSWORD, { first_name: 'Grace' });
    const { body } = identity.requests.at(-1)!;
    expect(Object.keys(body).sort()).toEqual(['attempt', 'attributes', 'client_id', 'email', 'srp']);
    expect(body).toMatchObject({ email: 'grace@example.test', attributes: { first_name: 'Grace' } });
    await expect(credentials.signIn('grace@example.test', PASSWORD)).rejects.toMatchObject({
      name: 'NotConfirmedError',
      code: 'account_not_confirmed',
    });
    await credentials.confirmSignUp('grace@example.test', CODE);
    await credentials.signIn('GRACE@example.test', PASSWORD);
    expect(await user.getPayload()).toMatchObject({ email: 'grace@example.test', emailVerified: true });
    expect(JSON.stringify(identity.requests)).not.toContain(PASSWORD);
  });

  test('rejects a wrong password and an unknown email in the same way', async () => {
    const { email } = newPerson();
    const errors = await Promise.all(
      [credentials.signIn(email, `${PASSWORD}!`), credentials.signIn('unknown@example.test', PASSWORD)].map((call) =>
        call.catch(({ name, code, message }) => ({ name, code, message })),
      ),
    );
    expect(errors[0]).toMatchObject({ name: 'InvalidCredentialsError', code: 'invalid_credentials' });
    expect(errors[1]).toEqual(errors[0]);
    await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'not_signed_in' });
  });

  test('rejects a service that cannot prove itself, and does not sign in', async () => {
    const { email } = newPerson();
    const manipulations: [string, string, unknown][] = [
      ...['ab'.repeat(32), 'zz'.repeat(32), 'AB'.repeat(32), 'ab'.repeat(33), 'a', '', 7].map(ofField(FINISH, 'M2')),
      ...[0n, SUITE.N, SUITE.N * 2n, SUITE.N + 1n]
        .map((B) => B.toString(16))
        .map(even)
        .map(ofField(START, 'B')),
      ...['zz', 'AB', 'abc', 'ab'.repeat(385), ''].map(ofField(START, 'B')),
      [START, 'salt', ''],
      [START, 'kdf', 'scrypt'],
      [START, 'kdf', { name: 'scrypt', N: 2, r: 8, p: 1, length: 32 }],
      [START, 'kdf', { name: 'plain', N: 32768, r: 8, p: 1, length: 32 }],
    ];
    for (const [path, field, value] of manipulations) {
      identity.control.tamper = (route, body) => {
        if (route === path) body[field] = value;
      };
      await expect(credentials.signIn(email, PASSWORD), `${field} ${value}`).rejects.toMatchObject({
        name: 'UntrustedServerError',
        code: 'untrusted_server',
      });
    }
    await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'not_signed_in' });
  });

  test('throws a retryable error when offline at each step, and succeeds when repeated', async () => {
    const { email } = newPerson();
    const before = identity.sessions.length;
    identity.control.isDown = true;
    await expect(credentials.signIn(email, PASSWORD)).rejects.toMatchObject({ code: 'network', retryable: true });
    identity.control.isDown = false;
    for (const path of [START, FINISH]) {
      identity.control.losses.push(path);
      await expect(credentials.signIn(email, PASSWORD)).rejects.toMatchObject({ code: 'network', retryable: true });
    }
    await credentials.signIn(email, PASSWORD);
    expect(identity.sessions.length).toBeLessThanOrEqual(before + 2);
  });

  test('a repeated sign-up after a lost response creates no second patient', async () => {
    identity.control.losses.push('POST /credentials/sign_up');
    await expect(credentials.signUp('late@example.test', PASSWORD)).rejects.toMatchObject({ code: 'network' });
    await credentials.signUp('late@example.test', PASSWORD);
    await credentials.confirmSignUp('late@example.test', CODE);
    await credentials.signIn('late@example.test', PASSWORD);
    expect(identity.people.filter((person) => person.email === 'late@example.test')).toHaveLength(1);
  });

  test('a sign-up or reset is bound to the device until it is completed', async () => {
    const email = `linus@example.test`;
    const storage = memoryStorage();
    const reload = () => credentials.configure(identity.configurationToken('credentials'), { storage });
    const attempts = () =>
      identity.requests.filter(({ body }) => body.email === email).map(({ path, body }) => [path, body.attempt]);
    reload();
    await Promise.all([credentials.signUp(email, PASSWORD), credentials.signUp(email, PASSWORD)]);
    const [[, attempt]] = attempts() as [[string, string]];
    expect(attempt).toMatch(/^[0-9a-f]{64}$/);
    reload();
    await credentials.resendConfirmationCode(email);
    await credentials.confirmSignUp(email, CODE);
    expect(attempts()).toEqual(
      ['sign_up', 'sign_up', 'resend', 'confirm'].map((step) => [`POST /credentials/${step}`, attempt]),
    );
    identity.requests.length = 0;
    await credentials.requestPasswordReset(email);
    reload();
    await credentials.completePasswordReset(email, CODE, NEW_PASSWORD);
    const [[, next], [, last]] = attempts() as [[string, string], [string, string]];
    expect([next === last, next === attempt]).toEqual([true, false]);
    await credentials.signIn(email, NEW_PASSWORD);
  });

  test('rejects a code of another device with other_device, before sending a request', async () => {
    const { email } = newPerson({ isConfirmed: false });
    const before = identity.requests.length;
    for (const step of [
      credentials.confirmSignUp(email, CODE),
      credentials.completePasswordReset(email, CODE, NEW_PASSWORD),
    ])
      await expect(step).rejects.toMatchObject({ name: 'InvalidCodeError', code: 'other_device', retryable: false });
    expect(identity.requests.length).toBe(before);
  });

  test('the right password continues a sign-up on another device, a wrong one does not', async () => {
    const email = 'margaret@example.test';
    await credentials.signUp(email, PASSWORD);
    credentials.configure(identity.configurationToken('credentials'), { storage: memoryStorage() });
    await expect(credentials.signIn(email, NEW_PASSWORD)).rejects.toMatchObject({ code: 'invalid_credentials' });
    await expect(credentials.confirmSignUp(email, CODE)).rejects.toMatchObject({ code: 'other_device' });
    await expect(credentials.signIn(email, PASSWORD)).rejects.toMatchObject({ code: 'account_not_confirmed' });
    await credentials.confirmSignUp(email, CODE);
    await credentials.signIn(email, PASSWORD);
  });

  test('a sign-in takes one proof; only after a wrong password a second one, for a pending sign-up', async () => {
    const { email } = newPerson();
    const starts = () => identity.requests.filter(({ path }) => path === START).map(({ body }) => 'attempt' in body);
    identity.requests.length = 0;
    await credentials.signIn(email, PASSWORD);
    expect(starts()).toEqual([false]);
    await expect(credentials.signIn(email, NEW_PASSWORD)).rejects.toMatchObject({ code: 'invalid_credentials' });
    expect(starts()).toEqual([false, false, true]);
  });

  test('completes an invitation with a new password and the same identity', async () => {
    const person = newPerson({ invitation: 'open' });
    const { identity: name } = identity.people.at(-1)!.srp!;
    await expect(credentials.signIn(person.email, PASSWORD)).rejects.toMatchObject({ code: 'new_password_required' });
    await credentials.completeInvitationAndSetPassword(person.email, PASSWORD, NEW_PASSWORD);
    expect(await user.getAccessToken()).toMatch(/^e30\./);
    expect(identity.people.at(-1)!.srp!.identity).toBe(name);
  });

  test('an invitation can be completed again after its response was lost', async () => {
    const { email } = newPerson({ invitation: 'open' });
    identity.control.losses.push('POST /credentials/complete_invitation');
    const complete = () => credentials.completeInvitationAndSetPassword(email, PASSWORD, NEW_PASSWORD);
    await expect(complete()).rejects.toMatchObject({ code: 'network', retryable: true });
    await complete();
    expect(await user.getPayload()).toMatchObject({ email });
    await expect(
      credentials.completeInvitationAndSetPassword(email, 'not the temporary one', 'another long password'),
    ).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  test('an expired invitation throws an error that can request another', async () => {
    const { email } = newPerson({ invitation: 'expired' });
    const error: InvitationExpiredError = await credentials
      .completeInvitationAndSetPassword(email, PASSWORD, NEW_PASSWORD)
      .then(
        () => Promise.reject(new Error('accepted')),
        (reason) => reason,
      );
    expect(error).toMatchObject({ name: 'InvitationExpiredError', code: 'invitation_expired' });
    await error.resend();
    expect(identity.requests.at(-1)).toMatchObject({ path: 'POST /credentials/resend', body: { email } });
  });

  test('resets a forgotten password with an emailed code', async () => {
    const { email } = newPerson();
    await credentials.requestPasswordReset(email);
    await expect(credentials.completePasswordReset(email, '000000', NEW_PASSWORD)).rejects.toMatchObject({
      name: 'InvalidCodeError',
    });
    await credentials.completePasswordReset(email, CODE, NEW_PASSWORD);
    await expect(credentials.signIn(email, PASSWORD)).rejects.toMatchObject({ code: 'invalid_credentials' });
    await credentials.signIn(email, NEW_PASSWORD);
  });

  test('rejects a weak new password or a malformed email before sending a request', async () => {
    const before = identity.requests.length;
    const calls = [
      credentials.signUp('ada@example.test', 'short'),
      credentials.completePasswordReset('ada@example.test', CODE, 'password1234'),
      credentials.completeInvitationAndSetPassword('ada@example.test', PASSWORD, 'x'.repeat(257)),
    ];
    const codes = await Promise.all(calls.map((call) => call.catch(({ code }) => code)));
    expect(codes).toEqual(['password_too_short', 'password_too_common', 'password_too_long']);
    for (const email of [
      '',
      'ada',
      'ada@',
      '@example.test',
      'a b@example.test',
      'ada@example',
      `${'a'.repeat(250)}@b.test`,
    ])
      await expect(credentials.signUp(email, PASSWORD)).rejects.toMatchObject({ code: 'invalid_email' });
    expect(identity.requests.length).toBe(before);
  });
});
