import { afterAll, beforeAll, expect, test } from 'vitest';
import { credentials } from '#sdk/credentials.ts';
import { passwordless } from '#sdk/passwordless.ts';
import { user } from '#sdk/user.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';
import { getConfigurationTokens } from '#server/identity/applications/get-configuration-tokens.ts';
import { withClinic } from './clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from './patient-sign-in.ts';

let bench: SignInBench;
let tokens: Awaited<ReturnType<typeof getConfigurationTokens>>;
const now = () => bench.clock.now().getTime();

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  tokens = await getConfigurationTokens((await bench.tenant()).ctx);
});
afterAll(() => bench?.stop());

test('the SDK signs a patient in by text message, refreshes, and changes both addresses', async () => {
  passwordless.configure(tokens.passwordless, { now });
  await passwordless.signUp('(202) 555-0123', { first_name: 'Ada' });
  const pendingSignIn = await passwordless.signIn('202-555-0123');
  await passwordless.completeSignIn(pendingSignIn, await bench.codeFor('+12025550123'));
  const first = await user.getAccessToken();
  bench.clock.pass(HOUR);
  expect(await user.getAccessToken()).not.toBe(first);
  await user.updatePhoneNumber('310-555-0123');
  await user.verifyPhoneNumber(await bench.codeFor('+13105550123'));
  await user.updateEmail('ada@example.test');
  await user.verifyEmail(await bench.codeFor('ada@example.test'));
  expect(await user.getPayload()).toMatchObject({
    email: 'ada@example.test',
    emailVerified: true,
    phoneNumber: '+13105550123',
    phoneNumberVerified: true,
    username: '+13105550123',
    hasPassword: false,
  });
  await user.signOut();
  await expect(user.getAccessToken()).rejects.toMatchObject({ code: 'not_signed_in' });
});

test('the SDK signs a patient in by password, changes it, and resets a forgotten one', async () => {
  const email = 'bob@example.test';
  credentials.configure(tokens.credentials, { now });
  await credentials.signUp(email, 'quite a long phrase 77');
  await expect(credentials.signIn(email, 'quite a long phrase 77')).rejects.toMatchObject({
    code: 'account_not_confirmed',
  });
  await expect(credentials.resendConfirmationCode(email)).rejects.toMatchObject({ code: 'rate_limited' });
  await credentials.confirmSignUp(email, await bench.codeFor(email));
  expect(await credentials.signIn(email, 'quite a long phrase 77')).toMatchObject({ email, hasPassword: true });
  await expect(user.updatePassword('not my phrase at all', 'another long phrase 88')).rejects.toMatchObject({
    code: 'invalid_credentials',
    message: 'The old password is wrong.',
  });
  await user.updatePassword('quite a long phrase 77', 'another long phrase 88');
  await user.signOut();
  bench.clock.pass(10 * MINUTE);
  await credentials.requestPasswordReset(email);
  await credentials.completePasswordReset(email, await bench.codeFor(email), 'third phrase is long 9');
  await expect(credentials.signIn(email, 'another long phrase 88')).rejects.toMatchObject({
    code: 'invalid_credentials',
  });
  await credentials.signIn(email, 'third phrase is long 9');
  expect(await user.getPayload()).toMatchObject({ email, emailVerified: true, phoneNumber: null });
  await user.signOut();
});
