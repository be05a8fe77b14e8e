import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { credentials, passwordless, user } from './node.ts';
import { makeVerifier } from './srp/make-verifier.ts';
import { CODE, type FakeIdentity, startFakeIdentity } from './testing/fake-identity.ts';
import { memoryStorage } from './vault.ts';

const PASSWORD = 'seven quiet rivers';
const NEW_PASSWORD = 'eight louder rivers';

describe('the signed-in person', () => {
  let identity: FakeIdentity;
  const signIn = async () => {
    passwordless.configure(identity.configurationToken('passwordless'), { storage: memoryStorage() });
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
  };
  beforeAll(async () => {
    identity = await startFakeIdentity();
    identity.add({ phone: '+12025550123', isConfirmed: true });
    identity.add({ email: 'ada@example.test', isConfirmed: true, srp: await makeVerifier(PASSWORD) });
  });
  beforeEach(signIn);
  afterEach(() => {
    Object.assign(identity.control, { instead: {}, losses: [], isDown: false });
  });
  afterAll(() => identity.close());

  test('a new email counts once its code is given', async () => {
    await user.updateEmail('New@example.test');
    expect((await user.getPayload()).email).toBeNull();
    await expect(user.verifyEmail('111111')).rejects.toMatchObject({ name: 'InvalidCodeError' });
    await user.verifyEmail(CODE);
    expect(await user.getPayload()).toMatchObject({ email: 'new@example.test' });
  });

  test('so does a new phone number', async () => {
    await user.updatePhoneNumber('202 555 0177');
    expect(identity.seen.at(-1)!.body).toEqual({ phone_number: '+12025550177', device: expect.any(String) });
    await user.verifyPhoneNumber(CODE);
    expect(await user.getPayload()).toMatchObject({ phoneNumber: '+12025550177' });
    await user.updatePhoneNumber('202 555 0123');
    await user.verifyPhoneNumber(CODE);
  });

  test('a new password needs the old one, ends the other sessions and keeps this one', async () => {
    credentials.configure(identity.configurationToken('credentials'), { storage: memoryStorage() });
    await credentials.signIn('ada@example.test', PASSWORD);
    const other = identity.sessions.at(-1)!;
    credentials.configure(identity.configurationToken('credentials'), { storage: memoryStorage() });
    await credentials.signIn('ada@example.test', PASSWORD);
    const { identity: name } = identity.people[1]!.srp!;
    await expect(user.updatePassword('not my password!', NEW_PASSWORD)).rejects.toMatchObject({
      name: 'InvalidCredentialsError',
    });
    await expect(user.updatePassword(PASSWORD, 'short')).rejects.toMatchObject({ code: 'password_too_short' });
    await user.updatePassword(PASSWORD, NEW_PASSWORD);
    expect(identity.sessions).not.toContain(other);
    expect(identity.people[1]!.srp!.identity).toBe(name);
    await user.updateEmail('still@example.test');
    await credentials.signIn('ada@example.test', NEW_PASSWORD);
  });

  test('who signs in by text message has no password to change', async () => {
    await expect(user.updatePassword(PASSWORD, NEW_PASSWORD)).rejects.toMatchObject({ code: 'no_password' });
  });

  test('signing out ends the session here and at the service', async () => {
    const before = identity.sessions.length;
    await user.signOut();
    expect(identity.sessions.length).toBe(before - 1);
    for (const call of [user.signOut, user.getAccessToken, user.getPayload, () => user.updateEmail('x@example.test')])
      await expect(call()).rejects.toMatchObject({ name: 'NotSignedInError', code: 'not_signed_in' });
  });

  test('signing out offline ends it here at once, and at the service when called again', async () => {
    const before = identity.sessions.length;
    identity.control.isDown = true;
    await expect(user.signOut()).rejects.toMatchObject({ code: 'network', retryable: true });
    await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'not_signed_in' });
    identity.control.isDown = false;
    expect(identity.sessions.length).toBe(before);
    await user.signOut();
    expect(identity.sessions.length).toBe(before - 1);
    await expect(user.signOut()).rejects.toMatchObject({ code: 'not_signed_in' });
  });

  test('signing out offline is finished at the next start, without anybody waiting for it', async () => {
    const storage = memoryStorage();
    const start = (flow: 'passwordless' | 'credentials' = 'passwordless') => {
      const api = flow === 'passwordless' ? passwordless : credentials;
      api.configure(identity.configurationToken(flow), { storage: { ...storage } });
    };
    passwordless.configure(identity.configurationToken('passwordless'), { storage });
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    const left = identity.sessions.at(-1)!;
    identity.control.isDown = true;
    await expect(user.signOut()).rejects.toMatchObject({ code: 'network' });
    start();
    await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'not_signed_in' });
    expect(identity.sessions).toContain(left);
    identity.control.isDown = false;
    start('credentials');
    await expect.poll(() => identity.sessions.includes(left)).toBe(false);
    const asked = identity.count('POST /oauth2/revoke');
    start();
    await expect(user.signOut()).rejects.toMatchObject({ code: 'not_signed_in' });
    expect(identity.count('POST /oauth2/revoke')).toBe(asked);
  });

  test('a start leaves alone who is signed in', async () => {
    const storage = memoryStorage();
    passwordless.configure(identity.configurationToken('passwordless'), { storage });
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    passwordless.configure(identity.configurationToken('passwordless'), { storage: { ...storage } });
    expect(await user.getAccessToken()).toMatch(/^e30\./);
  });

  test('whoever signs in is told at once, and whether they have a password', async () => {
    const waiting = await passwordless.signIn('2025550123');
    const payload = await passwordless.confirmSignIn(waiting, CODE);
    expect(payload).toEqual(await user.getPayload());
    expect(payload).toMatchObject({ phoneNumber: '+12025550123', hasPassword: false });
    credentials.configure(identity.configurationToken('credentials'), { storage: memoryStorage() });
    identity.add({ email: 'eve@example.test', isConfirmed: true, srp: await makeVerifier(PASSWORD) });
    expect(await credentials.signIn('eve@example.test', PASSWORD)).toMatchObject({
      email: 'eve@example.test',
      hasPassword: true,
    });
  });

  test('whatever sends a code tells when another may be asked for, by the clock of the device', async () => {
    const now = () => Date.UTC(2026, 0, 5);
    credentials.configure(identity.configurationToken('credentials'), { storage: memoryStorage(), now });
    const sent = { resendAt: '2026-01-05T00:00:30.000Z' };
    expect(await credentials.signUp('new@example.test', PASSWORD)).toEqual(sent);
    expect(await credentials.resendConfirmationCode('new@example.test')).toEqual(sent);
    identity.control.instead['POST /credentials/reset'] = { status: 202, body: { resend_after: 86_400 } };
    expect(await credentials.requestPasswordReset('new@example.test')).toEqual({
      resendAt: '2026-01-06T00:00:00.000Z',
    });
    await signIn();
    const { resendAt } = await user.updateEmail('later@example.test');
    expect(Date.parse(resendAt)).toBeGreaterThan(Date.now());
    expect(await user.updatePhoneNumber('202-555-0178')).toMatchObject({ resendAt: expect.any(String) });
  });

  test('signing in again ends the session it replaces', async () => {
    const replaced = identity.sessions.at(-1)!;
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    await expect.poll(() => identity.sessions.includes(replaced)).toBe(false);
    expect(await user.getAccessToken()).toMatch(/^e30\./);
  });

  test('a session ended elsewhere is found out at the next call', async () => {
    identity.sessions.pop();
    await expect(user.updateEmail('x@example.test')).rejects.toMatchObject({ name: 'SignInRequiredError' });
    await expect(user.getAccessToken()).rejects.toMatchObject({ name: 'NotSignedInError' });
  });

  test('a token that the API refused is renewed, or the end of the session found out', async () => {
    const refused = await user.getAccessToken();
    const renewed = await user.getAccessToken({ renew: true });
    expect(renewed).not.toBe(refused);
    expect(await user.getAccessToken()).toBe(renewed);
    identity.sessions.pop();
    await expect(user.getAccessToken({ renew: true })).rejects.toMatchObject({ code: 'sign_in_required' });
  });

  test('a profile change beside a refresh loses neither', async () => {
    await user.updateEmail('beside@example.test');
    const [token] = await Promise.all([user.getAccessToken({ renew: true }), user.verifyEmail(CODE)]);
    expect(await user.getAccessToken()).toBe(token);
    await user.getAccessToken({ renew: true });
    expect(await user.getPayload()).toMatchObject({ email: 'beside@example.test' });
  });

  test('what may not be done under impersonation is told as such', async () => {
    identity.control.instead['PATCH /user/email'] = {
      status: 403,
      body: {
        errors: [{ status: '403', code: 'forbidden', title: '', detail: 'Not while impersonating.' }],
        request_id: 'r',
      },
    };
    await expect(user.updateEmail('x@example.test')).rejects.toMatchObject({
      name: 'NotAllowedError',
      code: 'forbidden',
    });
  });

  test('a change is made from the device that signed in, also after signing out and in again', async () => {
    const storage = memoryStorage();
    passwordless.configure(identity.configurationToken('passwordless'), { storage });
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    await user.signOut();
    const known = identity.devices.size;
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    expect(identity.devices.size).toBe(known);
    await user.updateEmail('again@example.test');
    await user.verifyEmail(CODE);
    expect(await user.getPayload()).toMatchObject({ email: 'again@example.test' });
  });

  test('two people on one device are known each by a secret of their own', async () => {
    identity.add({ phone: '+12025550166', isConfirmed: true });
    const storage = memoryStorage();
    passwordless.configure(identity.configurationToken('passwordless'), { storage });
    for (const number of ['2025550123', '2025550166']) {
      await passwordless.completeSignIn(await passwordless.signIn(number), CODE);
      await user.updateEmail(`${number}@example.test`);
      await user.verifyEmail(CODE);
    }
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    await user.updateEmail('back@example.test');
    await user.verifyEmail(CODE);
    const kept = (await storage.getItem('carelane.session.sandbox.tenant-1.kept')) ?? '';
    expect(kept).not.toMatch(/2025550|example/);
  });

  test('where the device is not known, the person is told what to do', async () => {
    identity.devices.clear();
    for (const change of [
      () => user.updateEmail('x@example.test'),
      () => user.verifyEmail(CODE),
      () => user.updatePhoneNumber('2025550177'),
      () => user.verifyPhoneNumber(CODE),
    ])
      await expect(change()).rejects.toMatchObject({
        name: 'NotAllowedError',
        code: 'proof_required',
        retryable: false,
      });
    await signIn();
    await user.updateEmail('x@example.test');
  });

  test('a listener hears of sign-out and sign-in until it stops', async () => {
    const heard: boolean[] = [];
    const stop = user.onSessionChange((isSignedIn) => heard.push(isSignedIn));
    await user.getAccessToken();
    await user.signOut();
    await expect.poll(() => heard).toEqual([false]);
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    await expect.poll(() => heard).toEqual([false, true]);
    stop();
    await user.signOut();
    expect(heard).toEqual([false, true]);
  });

  test('a listener hears of somebody else in place of the first, and not of a refresh', async () => {
    identity.add({ phone: '+12025550155', isConfirmed: true });
    const heard: boolean[] = [];
    const stop = user.onSessionChange((isSignedIn) => heard.push(isSignedIn));
    await user.getAccessToken({ renew: true });
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    await passwordless.completeSignIn(await passwordless.signIn('2025550155'), CODE);
    await expect.poll(() => heard).toEqual([true]);
    stop();
  });
});
