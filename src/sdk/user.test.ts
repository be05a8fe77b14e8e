import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { credentials, passwordless, user } from './node.ts';
import { makeVerifier } from './srp/make-verifier.ts';
import { CODE, type FakeIdentity, startFakeIdentity } from './testing/fake-identity.ts';
import { memoryStorage } from './vault.ts';

const PASSWORD = 'seven quiet rivers';
const NEW_PASSWORD = 'eight louder rivers';

describe('user', () => {
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

  test('a new email is used after its code is verified', async () => {
    await user.updateEmail('New@example.test');
    expect((await user.getPayload()).email).toBeNull();
    await expect(user.verifyEmail('111111')).rejects.toMatchObject({ name: 'InvalidCodeError' });
    await user.verifyEmail(CODE);
    expect(await user.getPayload()).toMatchObject({ email: 'new@example.test' });
  });

  test('a new phone number is used after its code is verified', async () => {
    await user.updatePhoneNumber('202 555 0177');
    expect(identity.requests.at(-1)!.body).toEqual({ phone_number: '+12025550177', device: expect.any(String) });
    await user.verifyPhoneNumber(CODE);
    expect(await user.getPayload()).toMatchObject({ phoneNumber: '+12025550177' });
    await user.updatePhoneNumber('202 555 0123');
    await user.verifyPhoneNumber(CODE);
  });

  test('a new password requires the old one, ends the other sessions and keeps this one', async () => {
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

  test('throws no_password for a user who signs in by text message', async () => {
    await expect(user.updatePassword(PASSWORD, NEW_PASSWORD)).rejects.toMatchObject({ code: 'no_password' });
  });

  test('sign-out ends the session locally and at the service', async () => {
    const before = identity.sessions.length;
    await user.signOut();
    expect(identity.sessions.length).toBe(before - 1);
    for (const call of [user.signOut, user.getAccessToken, user.getPayload, () => user.updateEmail('x@example.test')])
      await expect(call()).rejects.toMatchObject({ name: 'NotSignedInError', code: 'not_signed_in' });
  });

  test('sign-out while offline ends the session locally, and at the service when repeated', async () => {
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

  test('sign-out while offline is completed in the background at the next start', async () => {
    const storage = memoryStorage();
    const removeItem = vi.spyOn(storage, 'removeItem');
    const start = (flow: 'passwordless' | 'credentials' = 'passwordless') => {
      const api = flow === 'passwordless' ? passwordless : credentials;
      api.configure(identity.configurationToken(flow), { storage: { ...storage } });
    };
    passwordless.configure(identity.configurationToken('passwordless'), { storage });
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    const session = identity.sessions.at(-1)!;
    identity.control.isDown = true;
    await expect(user.signOut()).rejects.toMatchObject({ code: 'network' });
    start();
    await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'not_signed_in' });
    expect(identity.sessions).toContain(session);
    identity.control.isDown = false;
    removeItem.mockClear();
    start('credentials');
    await expect.poll(() => identity.sessions.includes(session)).toBe(false);
    // The client forgets the session only after the service's response.
    await expect.poll(() => removeItem.mock.calls.length).toBeGreaterThan(0);
    const revocations = identity.count('POST /oauth2/revoke');
    start();
    await expect(user.signOut()).rejects.toMatchObject({ code: 'not_signed_in' });
    expect(identity.count('POST /oauth2/revoke')).toBe(revocations);
  });

  test('configure() does not sign out the user', async () => {
    const storage = memoryStorage();
    passwordless.configure(identity.configurationToken('passwordless'), { storage });
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    passwordless.configure(identity.configurationToken('passwordless'), { storage: { ...storage } });
    expect(await user.getAccessToken()).toMatch(/^e30\./);
  });

  test('sign-in returns the user, and whether there is a password', async () => {
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

  test("functions that send a code return when another can be requested, by the device's clock", async () => {
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

  test('a new sign-in ends the session that it replaces', async () => {
    const replaced = identity.sessions.at(-1)!;
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    await expect.poll(() => identity.sessions.includes(replaced)).toBe(false);
    expect(await user.getAccessToken()).toMatch(/^e30\./);
  });

  test('a session that was ended elsewhere is detected at the next call', async () => {
    identity.sessions.pop();
    await expect(user.updateEmail('x@example.test')).rejects.toMatchObject({ name: 'SignInRequiredError' });
    await expect(user.getAccessToken()).rejects.toMatchObject({ name: 'NotSignedInError' });
  });

  test('a token that the API rejected is renewed, or the end of the session is detected', async () => {
    const rejectedToken = await user.getAccessToken();
    const renewed = await user.getAccessToken({ renew: true });
    expect(renewed).not.toBe(rejectedToken);
    expect(await user.getAccessToken()).toBe(renewed);
    identity.sessions.pop();
    await expect(user.getAccessToken({ renew: true })).rejects.toMatchObject({ code: 'sign_in_required' });
  });

  test('a profile change concurrent with a refresh loses neither', async () => {
    await user.updateEmail('beside@example.test');
    const [token] = await Promise.all([user.getAccessToken({ renew: true }), user.verifyEmail(CODE)]);
    expect(await user.getAccessToken()).toBe(token);
    await user.getAccessToken({ renew: true });
    expect(await user.getPayload()).toMatchObject({ email: 'beside@example.test' });
  });

  test('throws NotAllowedError for changes under impersonation', async () => {
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

  test('the device stays known after signing out and in again', async () => {
    const storage = memoryStorage();
    passwordless.configure(identity.configurationToken('passwordless'), { storage });
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    await user.signOut();
    const deviceCount = identity.devices.size;
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    expect(identity.devices.size).toBe(deviceCount);
    await user.updateEmail('again@example.test');
    await user.verifyEmail(CODE);
    expect(await user.getPayload()).toMatchObject({ email: 'again@example.test' });
  });

  test('two users on one device each have their own secret', async () => {
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
    const stored = (await storage.getItem('carelane.session.sandbox.tenant-1.kept')) ?? '';
    expect(stored).not.toMatch(/2025550|example/);
  });

  test('throws proof_required when the device is not known', async () => {
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

  test('a listener is called on sign-out and sign-in until it is removed', async () => {
    const states: boolean[] = [];
    const stop = user.onSessionChange((isSignedIn) => states.push(isSignedIn));
    await user.getAccessToken();
    await user.signOut();
    await expect.poll(() => states).toEqual([false]);
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    await expect.poll(() => states).toEqual([false, true]);
    stop();
    await user.signOut();
    expect(states).toEqual([false, true]);
  });

  test('a listener is called when another user signs in, and not on a refresh', async () => {
    identity.add({ phone: '+12025550155', isConfirmed: true });
    const states: boolean[] = [];
    const stop = user.onSessionChange((isSignedIn) => states.push(isSignedIn));
    await user.getAccessToken({ renew: true });
    await passwordless.completeSignIn(await passwordless.signIn('2025550123'), CODE);
    await passwordless.completeSignIn(await passwordless.signIn('2025550155'), CODE);
    await expect.poll(() => states).toEqual([true]);
    stop();
  });
});
