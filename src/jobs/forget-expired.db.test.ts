import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import { issueInvitation, makeTemporaryPassword } from '#server/identity/invitation/issue-invitation.ts';
import { ATTEMPT, newAttempt, register, signInWithPassword } from '#testing/password-client.ts';
import { type SignInBench, startSignInBench } from '#testing/patient-sign-in.ts';
import { forgetExpired } from './forget-expired.ts';

const NUMBER = '+12025550143';
let bench: SignInBench;
beforeAll(async () => {
  bench = await startSignInBench();
});
afterAll(() => bench?.stop());

test('what has run out goes, tenant by tenant; the patient and a live session stay', async () => {
  const { ctx, passwordless: client_id } = await bench.tenant();
  const other = await bench.tenant();
  const ask = (tenantClient: string) =>
    bench.post('/passwordless/sign_up', { client_id: tenantClient, phone_number: NUMBER, attempt: ATTEMPT });
  expect((await ask(client_id)).status).toBe(202);
  const { body: waiting } = await bench.post('/passwordless/sign_in', { client_id, phone_number: NUMBER });
  const code = await bench.codeFor(NUMBER);
  const signedIn = await bench.post('/passwordless/complete', { challenge: waiting.challenge, code });
  expect(signedIn.status).toBe(200);
  await ask(other.passwordless);
  await bench.post('/passwordless/sign_in', { client_id: other.passwordless, phone_number: NUMBER });

  const left = async () => ({
    codes: (await ctx.db.oneTimeCode.count()) + (await other.ctx.db.oneTimeCode.count()),
    sends: (await ctx.db.codeSend.count()) + (await other.ctx.db.codeSend.count()),
    sessions: await ctx.db.patientSession.count(),
    refreshTokens: await ctx.db.refreshToken.count(),
    patients: await ctx.db.patient.count(),
  });
  const before = await left();
  expect(before.codes).toBeGreaterThanOrEqual(2);
  await forgetExpired(bench.services);
  expect(await left()).toEqual(before);

  bench.clock.pass(DAY + 10 * 60_000);
  await forgetExpired(bench.services);
  expect(await left()).toEqual({ codes: 0, sends: 0, sessions: 1, refreshTokens: 1, patients: 1 });
  expect((await bench.refresh(client_id, signedIn.body.refresh_token)).status).toBe(200);

  bench.clock.pass(31 * DAY);
  await forgetExpired(bench.services);
  expect(await left()).toMatchObject({ sessions: 1, refreshTokens: 0 });
  bench.clock.pass(90 * DAY);
  await forgetExpired(bench.services);
  expect(await left()).toMatchObject({ sessions: 0, patients: 1 });
});

test('a sign-up that waits for days is confirmed by another code, as it was last made on that device', async () => {
  const { ctx, credentials: client_id } = await bench.tenant();
  const who = { client_id, email: 'maple@example.test', attempt: newAttempt() };
  const [first, last, foreign] = ['correct horse battery staple', 'another quite long passphrase', 'not theirs at all'];
  const signUp = (password: string, more = {}) =>
    bench.post('/credentials/sign_up', { ...who, ...more, srp: register(password) });
  await signUp(first);
  bench.clock.pass(60_000);
  await signUp(last);
  bench.clock.pass(61_000);
  await signUp(foreign, { attempt: newAttempt() });
  bench.clock.pass(3 * DAY);
  await forgetExpired(bench.services);
  expect((await bench.post('/credentials/resend', who)).status).toBe(202);
  const code = await bench.codeFor(who.email);
  expect((await bench.post('/credentials/confirm', { ...who, code })).status).toBe(204);
  for (const wrong of [first, foreign])
    expect((await signInWithPassword(bench, client_id, who.email, wrong)).status).toBe(401);
  expect((await signInWithPassword(bench, client_id, who.email, last)).status).toBe(200);
  bench.clock.pass(3 * DAY);
  await forgetExpired(bench.services);
  expect(await ctx.db.oneTimeCode.count()).toBe(0);
});

test('a sign-up that nobody asked a code for is forgotten after 90 days, a temporary password when it runs out', async () => {
  const { ctx, credentials: client_id } = await bench.tenant();
  const who = { client_id, email: 'willow@example.test', attempt: newAttempt() };
  await bench.post('/credentials/sign_up', { ...who, srp: register('correct horse battery staple') });
  bench.clock.pass(89 * DAY);
  await forgetExpired(bench.services);
  await bench.post('/credentials/resend', who);
  const patientId = newId();
  await ctx.db.patient.create({ data: { id: patientId, tenantId: ctx.tenantId, email: 'oak@example.test' } });
  const temporary = await makeTemporaryPassword();
  await ctx.db.$transaction((tx) =>
    issueInvitation(tx, ctx, { patientId, email: 'oak@example.test', url: bench.url, temporary }),
  );
  const kept = async () => ({
    attempts: await ctx.db.signUpAttempt.count(),
    invitations: await ctx.db.patientSignIn.count({ where: { invitation: { not: null } } }),
  });
  bench.clock.pass(6 * DAY);
  await forgetExpired(bench.services);
  expect(await kept()).toEqual({ attempts: 1, invitations: 1 });
  bench.clock.pass(2 * DAY);
  await forgetExpired(bench.services);
  expect(await kept()).toEqual({ attempts: 1, invitations: 0 });
  bench.clock.pass(83 * DAY);
  await forgetExpired(bench.services);
  expect(await kept()).toEqual({ attempts: 0, invitations: 0 });
});
