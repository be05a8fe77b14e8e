import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { passwordless, user } from './node.ts';
import { CODE, type FakeIdentity, startFakeIdentity } from './testing/fake-identity.ts';
import { memoryStorage } from './vault.ts';

describe('sign-in by text message', () => {
  let identity: FakeIdentity;
  beforeAll(async () => {
    identity = await startFakeIdentity();
  });
  beforeEach(() => {
    passwordless.configure(identity.configurationToken('passwordless'), { storage: memoryStorage() });
  });
  afterAll(() => identity.close());

  test('signs up and signs in, even with a reload between the steps', async () => {
    await passwordless.signUp('(202) 555-0123', { first_name: 'Ada' });
    expect(identity.requests.at(-1)).toMatchObject({
      path: 'POST /passwordless/sign_up',
      body: {
        client_id: 'client-passwordless',
        phone_number: '+12025550123',
        attempt: expect.stringMatching(/^[0-9a-f]{64}$/),
        attributes: { first_name: 'Ada' },
      },
    });
    const waiting = JSON.parse(JSON.stringify(await passwordless.signIn('202.555.0123')));
    expect(waiting).toMatchObject({ phoneNumber: '+12025550123', challenge: expect.any(String) });
    expect(Date.parse(waiting.expiresAt) - Date.now()).toBeGreaterThan(290_000);
    await passwordless.completeSignIn(waiting, ` ${CODE.slice(0, 3)} ${CODE.slice(3)}`);
    expect(await user.getAccessToken()).toMatch(/^e30\./);
    expect(await user.getPayload()).toEqual({
      hasPassword: false,
      email: null,
      emailVerified: false,
      groups: ['patients'],
      phoneNumber: '+12025550123',
      phoneNumberVerified: true,
      tenantId: 'tenant-1',
      username: identity.people[0]!.id,
      userId: identity.people[0]!.id,
      userType: 'Patient',
    });
  });

  test('sends the attempt of the sign-up, from storage or from the waiting user', async () => {
    const attemptOf = () => identity.requests.at(-1)!.body.attempt;
    await passwordless.signUp('2025550131');
    const attempt = attemptOf();
    const waiting = JSON.parse(JSON.stringify(await passwordless.signIn('2025550131')));
    passwordless.configure(identity.configurationToken('passwordless'), { storage: memoryStorage() });
    await passwordless.completeSignIn(waiting, CODE);
    expect(attemptOf()).toBe(attempt);
    await passwordless.signUp('2025550132');
    const { signUp, ...withoutSignUp } = await passwordless.signIn('2025550132');
    await passwordless.completeSignIn(withoutSignUp, CODE);
    expect([attemptOf(), signUp === attempt]).toEqual([signUp, false]);
    await passwordless.completeSignIn(await passwordless.signIn('2025550132'), CODE);
    expect(attemptOf()).toBeUndefined();
  });

  test('confirmSignIn is an alias of completeSignIn', () => {
    expect(passwordless.confirmSignIn).toBe(passwordless.completeSignIn);
  });

  test('an unknown number is only rejected when a code is entered', async () => {
    const waiting = await passwordless.signIn('+1 202 555 0199');
    const attempt = passwordless.completeSignIn(waiting, CODE);
    await expect(attempt).rejects.toMatchObject({ name: 'InvalidCodeError', code: 'invalid_code', retryable: false });
    await expect(user.getAccessToken()).rejects.toMatchObject({ name: 'NotSignedInError' });
  });

  test('rejects a malformed code without a request', async () => {
    const waiting = await passwordless.signIn('+12025550123');
    const before = identity.requests.length;
    for (const code of ['', '12345', '1234567', '123456789', '12345678901', '12a456', '123456\u0000'])
      await expect(passwordless.completeSignIn(waiting, code)).rejects.toMatchObject({ code: 'invalid_code' });
    expect(identity.requests.length).toBe(before);
    const wrong = passwordless.completeSignIn(waiting, '12345 67890');
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_code' });
    expect(identity.requests.at(-1)).toMatchObject({ body: { code: '1234567890' } });
  });

  test('a completion can be repeated after its response was lost, with the same session', async () => {
    await passwordless.signUp('2025550124');
    const waiting = await passwordless.signIn('2025550124');
    const before = identity.sessions.length;
    identity.control.losses.push('POST /passwordless/complete');
    const lost = passwordless.completeSignIn(waiting, CODE);
    await expect(lost).rejects.toMatchObject({ name: 'NetworkError', code: 'network', retryable: true });
    await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'not_signed_in' });
    await passwordless.completeSignIn(waiting, CODE);
    expect(identity.sessions.length).toBe(before + 1);
    expect((await user.getPayload()).phoneNumber).toBe('+12025550124');
  });

  test('rejects a value that is not a waiting user', async () => {
    for (const value of [null, undefined, {}, 'x', { challenge: 7 }])
      await expect(passwordless.completeSignIn(value as never, CODE)).rejects.toMatchObject({ code: 'invalid_user' });
  });

  test.each([{}, null, [], { access_token: 'x' }])(
    'does not sign in when the response lacks a field (%j)',
    async (body) => {
      const waiting = await passwordless.signIn('2025550123');
      identity.control.instead['POST /passwordless/complete'] = { status: 200, body: JSON.stringify(body) };
      await expect(passwordless.completeSignIn(waiting, CODE)).rejects.toMatchObject({ code: 'unexpected_answer' });
      identity.control.instead = {};
      await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'not_signed_in' });
    },
  );

  test('rate limit errors say how long to wait', async () => {
    identity.control.instead['POST /passwordless/sign_in'] = {
      status: 429,
      headers: { 'retry-after': '30' },
      body: { errors: [{ status: '429', code: 'rate_limited', title: '', detail: 'Wait.' }], request_id: 'r' },
    };
    await expect(passwordless.signIn('2025550123')).rejects.toMatchObject({
      name: 'RateLimitedError',
      retryable: true,
      retryAfterSeconds: 30,
      requestId: 'r',
    });
    identity.control.instead = {};
  });

  test('service_busy errors say how long to wait', async () => {
    identity.control.instead['POST /passwordless/sign_in'] = {
      status: 503,
      headers: { 'retry-after': '3' },
      body: { errors: [{ status: '503', code: 'service_busy', title: '', detail: 'Wait.' }], request_id: 'r' },
    };
    await expect(passwordless.signIn('2025550123')).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'service_busy',
      retryable: true,
      retryAfterSeconds: 3,
      requestId: 'r',
    });
    identity.control.instead = {};
  });
});
