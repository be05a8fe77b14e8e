import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, prove, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { testServices } from '#dev/testing/services.ts';
import { errorOf, PASSWORD, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import { createApplication } from '../../applications/router.ts';
import { authenticateBearer } from '../../sessions/authenticate-bearer.ts';

const NEXT = 'another quite long passphrase';
const ONE_SECOND_MS = 1000;

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let there: Services;
let people: ReturnType<typeof signedIn>;
const newEmail = () => people.newEmail();
const newNumber = () => people.newNumber();

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic);
  const ENCRYPTION_KEY = bench.services.config.encryptionKey.toString('base64');
  there = testServices(bench.database, { PUBLIC_URL: bench.url, ENCRYPTION_KEY }, { clock: bench.clock });
});
afterAll(async () => {
  await there?.close();
  await bench?.stop();
});

type Tokens = SignedIn;
const signIn = (email: string, password = PASSWORD) => people.signIn(email, password);
const as = (token: string, method: string, path: string, body?: object) =>
  bench.call(method, `/identity/user${path}`, body, { token });
/** Changes an address from the device that signed in. */
const change = (patient: Tokens, method: string, path: string, body: object) =>
  people.as(patient, method, path, { ...body, device: patient.device });
const byEmail = (email?: string) => people.byEmail(email);
const byPhone = (number?: string) => people.byPhone(number);

describe('a signed-in patient', () => {
  test('changes the email address with the code sent to the new one, and not before', async () => {
    const [before, after] = [newEmail(), newEmail()];
    const patient = await byEmail(before);
    expect((await change(patient, 'PATCH', '/email', { email: after })).status).toBe(202);
    expect((await people.as(patient, 'GET', '')).body.email).toBe(before);
    const code = await bench.codeFor(after);
    const verified = await change(patient, 'POST', '/email/verify', { code });
    expect(verified.body).toMatchObject({ email: after, email_verified: true, username: after });
    expect(errorOf(await change(patient, 'POST', '/email/verify', { code }))).toEqual([422, 'invalid_code']);
    expect(errorOf(await signIn(before))).toEqual([401, 'invalid_credentials']);
    expect((await signIn(after)).status).toBe(200);
    await bench.settled();
    expect((await bench.messages(before))[0]?.subject).toContain('your email address was changed');
  });

  test('gets no code for an address of another patient, who is notified', async () => {
    const takenEmail = newEmail();
    await byEmail(takenEmail);
    const patient = await byEmail();
    bench.clock.pass(MINUTE);
    expect((await change(patient, 'PATCH', '/email', { email: takenEmail })).status).toBe(202);
    await bench.settled();
    expect((await bench.messages(takenEmail))[0]?.text).not.toMatch(/\d{6}/);
    expect(errorOf(await change(patient, 'POST', '/email/verify', { code: '123456' }))).toEqual([422, 'invalid_code']);
  });

  test('changes the number they sign in with', async () => {
    const [before, after] = [newNumber(), newNumber()];
    const patient = await byPhone(before);
    expect((await change(patient, 'PATCH', '/phone', { phone_number: after })).status).toBe(202);
    const code = await bench.codeFor(after);
    const verified = await change(patient, 'POST', '/phone/verify', { code });
    expect(verified.body).toMatchObject({ phone_number: after, phone_number_verified: true, username: after });
    bench.clock.pass(11 * MINUTE);
    const phones = await bench.call('GET', '/api/v1/patients/me', undefined, { token: patient.access_token });
    expect(
      phones.body.phones.map((phone: { number: string; primary: boolean }) => [phone.number, phone.primary]),
    ).toEqual([
      [before, false],
      [after, true],
    ]);
    const { body } = await bench.post('/passwordless/sign_in', {
      client_id: clinic.passwordless,
      phone_number: after,
    });
    const repeatedCode = await bench.codeFor(after);
    const signedIn = await bench.post('/passwordless/complete', { challenge: body.challenge, code: repeatedCode });
    expect(signedIn.status).toBe(200);
  });

  test('keeps the sign-in number when an app changes the contact number', async () => {
    const [own, other] = [newNumber(), newNumber()];
    const { access_token, user } = await byPhone(own);
    const phones_attributes = [{ number: other, primary: true }];
    await bench.call('PATCH', `/api/v1/patients/${user.user_id}`, { phones_attributes }, { token: access_token });
    await bench.post('/passwordless/sign_in', { client_id: clinic.passwordless, phone_number: other });
    await bench.settled();
    expect(await bench.messages(other)).toEqual([]);
  });

  test('changes the password after verifying the old one, which ends the other sessions', async () => {
    const email = newEmail();
    const session = await byEmail(email);
    const other = (await signIn(email)).body;
    const change = async (password: string, identity?: string) => {
      const { started, body } = await prove(bench, clinic.credentials, email, password);
      const srp = register(NEXT, identity ?? started.body.identity);
      return as(session.access_token, 'PUT', '/password', { ...body, srp });
    };
    const rejected = await change(NEXT);
    expect(errorOf(rejected)).toEqual([401, 'invalid_credentials']);
    expect(rejected.body.errors[0].detail).toBe('The old password is wrong.');
    expect(errorOf(await change(PASSWORD, 'ab'.repeat(16)))).toEqual([422, 'invalid_parameter']);
    const response = await change(PASSWORD);
    expect([response.status, response.body]).toEqual([200, { M2: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect((await as(session.access_token, 'GET', '')).status).toBe(200);
    expect((await as(other.access_token, 'GET', '')).status).toBe(401);
    expect((await bench.refresh(clinic.credentials, other.refresh_token)).status).toBe(400);
    expect((await bench.refresh(clinic.credentials, session.refresh_token)).status).toBe(200);
    expect((await signIn(email, NEXT)).status).toBe(200);
  });

  test("cannot change a password with another patient's proof", async () => {
    const [ownEmail, otherEmail] = [newEmail(), newEmail()];
    const { access_token } = await byEmail(ownEmail);
    await byEmail(otherEmail);
    const { started, body } = await prove(bench, clinic.credentials, otherEmail, PASSWORD);
    const srp = register(NEXT, started.body.identity);
    expect(errorOf(await as(access_token, 'PUT', '/password', { ...body, srp }))).toEqual([401, 'invalid_credentials']);
  });
});

describe('a change of address', () => {
  test.each([
    ['email', '/email', newEmail, (email: string) => ({ email })],
    ['number', '/phone', newNumber, (phone_number: string) => ({ phone_number })],
  ])('of the %s started by another session does not affect this one’s code', async (_, path, newAddress, body) => {
    const email = newEmail();
    const session = await byEmail(email);
    const other = (await signIn(email)).body as Tokens;
    const [target, otherAddress] = [newAddress(), newAddress()];
    await change(session, 'PATCH', path, body(target));
    const code = await bench.codeFor(target);
    await change(other, 'PATCH', path, body(otherAddress));
    for (let n = 0; n < 6; n++) await change(other, 'POST', `${path}/verify`, { code: String(100_000 + n) });
    expect((await change(session, 'POST', `${path}/verify`, { code })).body).toMatchObject(body(target));
    const late = { code: await bench.codeFor(otherAddress) };
    expect(errorOf(await change(other, 'POST', `${path}/verify`, late))).toEqual([422, 'invalid_code']);
  });
});

describe('an address that has changed', () => {
  const reset = (email: string) =>
    bench.post('/credentials/reset', { client_id: clinic.credentials, email, attempt: ATTEMPT });

  test('cannot finish steps started with it', async () => {
    const [before, after] = [newEmail(), newEmail()];
    const patient = await byEmail(before);
    const proof = await prove(bench, clinic.credentials, before, PASSWORD);
    bench.clock.pass(MINUTE);
    await reset(before);
    const code = await bench.codeFor(before);
    await change(patient, 'PATCH', '/email', { email: after });
    await change(patient, 'POST', '/email/verify', { code: await bench.codeFor(after) });
    const stolen = { client_id: clinic.credentials, email: before, attempt: ATTEMPT, code, srp: register(NEXT) };
    expect(errorOf(await bench.post('/credentials/reset/complete', stolen))).toEqual([422, 'invalid_code']);
    expect(errorOf(await bench.post('/credentials/srp/finish', proof.body))).toEqual([409, 'expired_handshake']);
    expect((await signIn(after)).status).toBe(200);
  });

  test('does not sign in with a code texted to it before', async () => {
    const [before, after] = [newNumber(), newNumber()];
    const patient = await byPhone(before);
    bench.clock.pass(MINUTE);
    const request = { client_id: clinic.passwordless, phone_number: before };
    const { challenge } = (await bench.post('/passwordless/sign_in', request)).body;
    const code = await bench.codeFor(before);
    await change(patient, 'PATCH', '/phone', { phone_number: after });
    await change(patient, 'POST', '/phone/verify', { code: await bench.codeFor(after) });
    expect(errorOf(await bench.post('/passwordless/complete', { challenge, code }))).toEqual([422, 'invalid_code']);
  });

  test('does not reveal that another patient has taken it since', async () => {
    const target = newEmail();
    const patient = await byEmail();
    await change(patient, 'PATCH', '/email', { email: target });
    const code = await bench.codeFor(target);
    const { tenantId, db } = clinic.ctx;
    await db.patient.create({ data: { id: crypto.randomUUID(), tenantId, email: target } });
    expect(errorOf(await change(patient, 'POST', '/email/verify', { code }))).toEqual([422, 'invalid_code']);
  });
});

describe('a step repeated under its Idempotency-Key', () => {
  const twice = async (path: string, body: object, token?: string) => {
    const send = (key: string) =>
      bench.post(path, body, { ...(token && { token }), headers: { 'idempotency-key': key } });
    return [await send('one'), await send('one'), await send('another')];
  };

  test('returns the same response, and under another key the code is used', async () => {
    const client_id = clinic.credentials;
    const [email, next, number] = [newEmail(), newEmail(), newNumber()];
    await bench.post('/credentials/sign_up', { client_id, email, attempt: ATTEMPT, srp: register(PASSWORD) });
    const statuses = (responses: TestResponse[]) => responses.map(({ status }) => status);
    const confirmed = await twice('/credentials/confirm', {
      client_id,
      email,
      attempt: ATTEMPT,
      code: await bench.codeFor(email),
    });
    expect(statuses(confirmed)).toEqual([204, 204, 422]);
    bench.clock.pass(MINUTE);
    await bench.post('/credentials/reset', { client_id, email, attempt: ATTEMPT });
    const code = await bench.codeFor(email);
    const reset = await twice('/credentials/reset/complete', {
      client_id,
      email,
      attempt: ATTEMPT,
      code,
      srp: register(PASSWORD),
    });
    expect(statuses(reset)).toEqual([204, 204, 422]);
    const patient: Tokens = (await signIn(email)).body;
    const { access_token: token, device } = patient;
    await change(patient, 'PATCH', '/email', { email: next });
    const mailed = await twice('/user/email/verify', { code: await bench.codeFor(next), device }, token);
    expect([statuses(mailed), mailed[1]?.body]).toEqual([[200, 200, 422], mailed[0]?.body]);
    await change(patient, 'PATCH', '/phone', { phone_number: number });
    const texted = await twice('/user/phone/verify', { code: await bench.codeFor(number), device }, token);
    expect([statuses(texted), texted[1]?.body]).toEqual([[200, 200, 422], texted[0]?.body]);
    const entries = await clinic.ctx.db.auditEntry.findMany({
      where: { patientId: mailed[0]?.body.user_id, action: { startsWith: 'patients.' } },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      'patients.sign_up',
      'patients.confirm',
      'patients.reset_password',
      'patients.change_email',
      'patients.change_phone',
    ]);
  });
});

describe('an application that acts for a patient who signs in', () => {
  const changes: [string, string, object][] = [
    ['PATCH', '/email', { email: 'mallory@example.test' }],
    ['POST', '/email/verify', { code: '123456' }],
    ['PATCH', '/phone', { phone_number: '+12025550177' }],
    ['POST', '/phone/verify', { code: '123456' }],
    ['PUT', '/password', { handshake: 'a.b', M1: 'ab'.repeat(32), srp: register(NEXT) }],
    ['POST', '/sign_out', {}],
  ];
  let impersonation: string;
  let application: string;
  beforeAll(async () => {
    const { user } = await byEmail();
    const created = await createApplication(clinic.ctx, { name: 'Helper', scopes: ['admin'] });
    const requestToken = async (form: Record<string, string>) => {
      const client = { client_id: created.application.client_id, client_secret: created.client_secret };
      const response = await bench.call('POST', '/identity/oauth2/token', undefined, { form: { ...client, ...form } });
      return response.body.access_token as string;
    };
    application = await requestToken({ grant_type: 'client_credentials' });
    impersonation = await requestToken({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: user.user_id,
      subject_token_type: 'urn:carelane:params:oauth:token-type:patient-id',
    });
  });

  test.each(changes)('may not %s %s', async (method, path, body) => {
    for (const token of [impersonation, application])
      expect(errorOf(await as(token, method, path, body))).toEqual([403, 'forbidden']);
    expect((await bench.call(method, `/identity/user${path}`, body)).status).toBe(401);
  });

  test('may read the patient by impersonation', async () => {
    const countEntries = () =>
      clinic.ctx.db.auditEntry.count({ where: { action: 'users.get', actorType: 'Application' } });
    const before = await countEntries();
    expect((await as(impersonation, 'GET', '')).status).toBe(200);
    expect(await countEntries()).toBe(before + 1);
    expect((await as(application, 'GET', '')).status).toBe(403);
  });
});

describe('a session that has ended', () => {
  async function lastAccepted(token: string, endedAt: number): Promise<number> {
    let last = 0;
    for (;;) {
      const askedAt = performance.now() - endedAt;
      const isAccepted = await authenticateBearer(there, `Bearer ${token}`).then(
        () => true,
        () => false,
      );
      if (!isAccepted) return last;
      last = askedAt;
      if (last > 5 * ONE_SECOND_MS) throw new Error('never rejected');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  const reset = async (email: string) => {
    bench.clock.pass(MINUTE);
    await bench.post('/credentials/reset', { client_id: clinic.credentials, email, attempt: ATTEMPT });
    const body = {
      client_id: clinic.credentials,
      email,
      attempt: ATTEMPT,
      code: await bench.codeFor(email),
      srp: register(NEXT),
    };
    return bench.post('/credentials/reset/complete', body);
  };
  const change = async (email: string) => {
    const { access_token } = (await signIn(email)).body;
    const { started, body } = await prove(bench, clinic.credentials, email, PASSWORD);
    return as(access_token, 'PUT', '/password', { ...body, srp: register(NEXT, started.body.identity) });
  };
  const replay = async ({ refresh_token }: Tokens) => {
    const next = (await bench.refresh(clinic.credentials, refresh_token)).body;
    await bench.refresh(clinic.credentials, next.refresh_token);
    await bench.refresh(clinic.credentials, refresh_token);
    return { status: 200 };
  };

  test.each([
    ['by signing out', (tokens: Tokens) => as(tokens.access_token, 'POST', '/sign_out', {})],
    ['by a new password, set elsewhere', (_: Tokens, email: string) => change(email)],
    ['by a new password in place of a forgotten one', (_: Tokens, email: string) => reset(email)],
    ['by a copy of an old refresh token', replay],
    [
      'by archiving the patient',
      async ({ user }: Tokens) => {
        await archivePatient(clinic.ctx, { id: user.user_id });
        return { status: 200 };
      },
    ],
  ])('%s is rejected by another process within a second', async (_, end) => {
    const email = newEmail();
    const tokens = await byEmail(email);
    await authenticateBearer(there, `Bearer ${tokens.access_token}`);
    let isEnding = true;
    // Used in the other process until the end, so that its cache is as fresh as possible.
    const inUse = (async () => {
      while (isEnding) {
        await authenticateBearer(there, `Bearer ${tokens.access_token}`).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    expect((await end(tokens, email)).status).toBeLessThan(300);
    const endedAt = performance.now();
    isEnding = false;
    await inUse;
    expect(await lastAccepted(tokens.access_token, endedAt)).toBeLessThanOrEqual(ONE_SECOND_MS);
    expect((await bench.refresh(clinic.credentials, tokens.refresh_token)).status).toBe(400);
  });

  test('leaves no pending steps: codes and partial sign-ins of an archived patient are dead', async () => {
    const email = newEmail();
    const { user } = await byEmail(email);
    const proof = await prove(bench, clinic.credentials, email, PASSWORD);
    bench.clock.pass(MINUTE);
    await bench.post('/credentials/reset', { client_id: clinic.credentials, email, attempt: ATTEMPT });
    const code = await bench.codeFor(email);
    await archivePatient(clinic.ctx, { id: user.user_id });
    const body = { client_id: clinic.credentials, email, attempt: ATTEMPT, code, srp: register(NEXT) };
    expect(errorOf(await bench.post('/credentials/reset/complete', body))).toEqual([422, 'invalid_code']);
    expect(errorOf(await bench.post('/credentials/srp/finish', proof.body))).toEqual([409, 'expired_handshake']);
    expect(await clinic.ctx.db.patientSession.count({ where: { patientId: user.user_id, endedAt: null } })).toBe(0);
  });
});
