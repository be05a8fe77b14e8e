import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import {
  ATTEMPT,
  newAttempt,
  prove,
  type Registration,
  register,
  signInWithPassword,
} from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, PASSWORD, signedIn } from '#dev/testing/signed-in.ts';
import { HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import { registrationColumns } from '../../srp/verifier.ts';

const NEXT = 'another quite long passphrase';
const N_HEX = `${'f'.repeat(16)}c90fdaa22168c234c4c6628b`;

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let count = 0;
const newEmail = () => `ada${++count}@example.test`;
/** scrypt is slow by design: one registration serves many patients, each with their own email. */
let registration: Registration;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  registration = register(PASSWORD);
});
afterAll(() => bench?.stop());

const post = (path: string, body: object, headers = {}) =>
  bench.post(`/credentials${path}`, { client_id: clinic.credentials, ...body }, { headers });
const signUp = (email: string, attributes: object = {}, srp = registration) =>
  post('/sign_up', { email, attempt: ATTEMPT, srp, attributes });
const signIn = (email: string, password = PASSWORD, headers = {}) =>
  signInWithPassword(bench, clinic.credentials, email, password, headers);
/** Proves the password of an unconfirmed sign-up. */
const signInToSignUp = (email: string, password = PASSWORD, attempt = ATTEMPT) =>
  signInWithPassword(bench, clinic.credentials, email, password, {}, attempt);
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** Signs up over HTTP; `createAccount` inserts the same result directly. */
async function confirmed(email = newEmail()): Promise<string> {
  await signUp(email);
  expect((await post('/confirm', { email, attempt: ATTEMPT, code: await bench.codeFor(email) })).status).toBe(204);
  return email;
}
async function createAccount(email = newEmail()): Promise<string> {
  await signedIn(bench, clinic).byEmail(email);
  return email;
}
const me = (token: string) => bench.call('GET', '/identity/user', undefined, { token });

describe('sign-in by email and password', () => {
  test('signs up, confirms with the mailed code, and signs in', async () => {
    const email = newEmail();
    const up = await signUp(email.toUpperCase(), { first_name: 'Ada' });
    expect([up.status, up.body]).toEqual([202, { resend_after: 30 }]);
    expect(errorOf(await signIn(email))).toEqual([401, 'invalid_credentials']);
    expect(errorOf(await signInToSignUp(email))).toEqual([403, 'account_not_confirmed']);
    const code = await bench.codeFor(email);
    expect(errorOf(await post('/confirm', { email, attempt: ATTEMPT, code: other(code) }))).toEqual([
      422,
      'invalid_code',
    ]);
    expect((await post('/confirm', { email, attempt: ATTEMPT, code })).status).toBe(204);
    expect(errorOf(await post('/confirm', { email, attempt: ATTEMPT, code }))).toEqual([422, 'invalid_code']);
    const { status, body } = await signIn(email);
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ email, email_verified: true, username: email, phone_number: null });
    const own = await bench.call('GET', '/api/v1/patients/me', undefined, { token: body.access_token });
    expect(own.body).toMatchObject({ first_name: 'Ada', can_sign_in: true });
    const [mail] = await bench.messages(email);
    expect(mail).toMatchObject({ kind: 'email', subject: 'Riverbend Clinic: confirm your email address' });
    expect(mail?.html).toContain(code);
  });

  test('a known patient gets a notice without a code, and their data stays unchanged', async () => {
    const email = await confirmed();
    bench.clock.pass(11 * MINUTE);
    expect((await signUp(email, { first_name: 'Mallory' }, register(NEXT))).status).toBe(202);
    await bench.settled();
    const [notice] = await bench.messages(email);
    expect(notice?.subject).toContain('you have an account already');
    expect(notice?.text).not.toMatch(/\d{6}/);
    expect((await signIn(email)).status).toBe(200);
    expect(errorOf(await signIn(email, NEXT))).toEqual([401, 'invalid_credentials']);
    expect(await clinic.ctx.db.patient.count({ where: { email } })).toBe(1);
  });

  test('until confirmation, the last password chosen on the device counts', async () => {
    const email = newEmail();
    await signUp(email, {}, register(NEXT));
    await bench.settled();
    bench.clock.pass(MINUTE);
    await signUp(email);
    expect((await post('/confirm', { email, attempt: ATTEMPT, code: await bench.codeFor(email) })).status).toBe(204);
    expect((await signIn(email)).status).toBe(200);
  });

  test('a patient created by the API can never sign in', async () => {
    const email = newEmail();
    await clinic.ctx.db.patient.create({ data: { id: crypto.randomUUID(), tenantId: clinic.ctx.tenantId, email } });
    await signUp(email);
    await bench.settled();
    expect((await bench.messages(email)).map((mail) => /\d{6}/.test(mail.text))).toEqual([false]);
    expect(errorOf(await signIn(email))).toEqual([401, 'invalid_credentials']);
    bench.clock.pass(MINUTE);
    expect((await post('/reset', { email, attempt: ATTEMPT })).status).toBe(202);
    await bench.settled();
    expect((await bench.messages(email)).every((mail) => !/\d{6}/.test(mail.text))).toBe(true);
  });

  test('rejects an archived patient like a wrong password', async () => {
    const email = await createAccount();
    await clinic.ctx.db.patient.updateMany({ where: { email }, data: { archivedAt: new Date(), status: 'archived' } });
    expect(errorOf(await signIn(email))).toEqual([401, 'invalid_credentials']);
  });

  test('another code replaces the previous one of the same device', async () => {
    const email = newEmail();
    await signUp(email);
    const first = await bench.codeFor(email);
    expect(errorOf(await post('/resend', { email, attempt: ATTEMPT }))).toEqual([429, 'rate_limited']);
    bench.clock.pass(31 * SECOND);
    expect((await post('/resend', { email, attempt: ATTEMPT })).status).toBe(202);
    const second = await bench.codeFor(email);
    if (first !== second)
      expect(errorOf(await post('/confirm', { email, attempt: ATTEMPT, code: first }))).toEqual([422, 'invalid_code']);
    bench.clock.pass(25 * HOUR);
    expect(errorOf(await post('/confirm', { email, attempt: ATTEMPT, code: second }))).toEqual([422, 'expired_code']);
  });

  test('an unknown source gets ten unused codes a day, independently of others', async () => {
    const email = newEmail();
    const resend = async (place: number) =>
      (await post('/resend', { email, attempt: ATTEMPT }, { 'x-forwarded-for': `198.51.100.${place}` })).status;
    const sent = [0, 0];
    for (let minute = 0; minute < 10; minute++) {
      if ((await resend(1)) === 202) sent[0]! += 1;
      bench.clock.pass(MINUTE);
    }
    expect(sent).toEqual([5, 0]);
    for (let hour = 0; hour < 23; hour++) {
      for (const place of [1, 2]) if ((await resend(place)) === 202) sent[place - 1]! += 1;
      bench.clock.pass(HOUR);
    }
    expect(sent).toEqual([10, 10]);
  });

  test('a reset does not wait for the code that has just confirmed the address', async () => {
    const email = await confirmed();
    const reset = (patient: string) => post('/reset', { email: patient, attempt: ATTEMPT });
    expect((await reset(email)).status).toBe(202);
    const unconfirmed = newEmail();
    await signUp(unconfirmed);
    expect((await reset(unconfirmed)).status).toBe(202);
    expect(errorOf(await reset(unconfirmed))).toEqual([429, 'rate_limited']);
  });
});

describe('password proof', () => {
  const start = (body: object) => post('/srp/start', { email: 'ada@example.test', ...body });
  const hex = (number: bigint) => number.toString(16).padStart(768, '0');
  const N = () => BigInt(`0x${registrationPrime}`);
  let registrationPrime: string;
  beforeAll(async () => {
    registrationPrime = (await import('node:crypto')).getDiffieHellman('modp15').getPrime('hex');
    expect(registrationPrime.startsWith(N_HEX)).toBe(true);
  });

  test.each([
    ['no hex', () => 'xyz'],
    ['uppercase', () => 'AB'],
    ['half a byte', () => 'abc'],
    ['zero', () => hex(0n)],
    ['one', () => hex(1n)],
    ['N', () => hex(N())],
    ['N − 1', () => hex(N() - 1n)],
    ['a multiple of N', () => (N() * 2n).toString(16).padStart(770, '0')],
    ['a byte too many', () => `00${hex(2n)}`],
  ])('rejects A that is %s', async (_, A) => {
    expect(errorOf(await start({ A: A() }))).toEqual([422, 'invalid_parameter']);
  });

  test('rejects a malformed M1 without using anything up', async () => {
    const { body } = await prove(bench, clinic.credentials, await createAccount(), PASSWORD);
    for (const M1 of [
      '',
      'zz'.repeat(32),
      body.M1.toUpperCase(),
      body.M1.slice(1),
      body.M1.slice(2),
      `${body.M1}00`,
      null,
    ])
      expect(errorOf(await bench.post('/credentials/srp/finish', { ...body, M1 })), String(M1)).toEqual([
        422,
        'invalid_parameter',
      ]);
    expect((await bench.post('/credentials/srp/finish', body)).status).toBe(200);
  });

  test.each([
    ['an identity of another length', { identity: 'ab' }],
    ['a short salt', { salt: 'ab'.repeat(8) }],
    ['a verifier of one', { verifier: '01' }],
    ['a weak kdf', { kdf: { name: 'scrypt', N: 1024, r: 8, p: 1, length: 32 } }],
  ])('rejects a registration with %s', async (_, wrong) => {
    const srp = { ...registration, ...wrong } as Registration;
    expect(errorOf(await signUp(newEmail(), {}, srp))).toEqual([422, 'invalid_parameter']);
  });

  test('a handshake works once, for two minutes, and cannot be guessed', async () => {
    const email = await createAccount();
    const once = await prove(bench, clinic.credentials, email, PASSWORD);
    const both = await Promise.all([
      bench.post('/credentials/srp/finish', once.body),
      bench.post('/credentials/srp/finish', once.body),
    ]);
    expect(both.map((response) => response.status).sort()).toEqual([200, 409]);
    const late = await prove(bench, clinic.credentials, email, PASSWORD);
    bench.clock.pass(2 * MINUTE);
    expect(errorOf(await bench.post('/credentials/srp/finish', late.body))).toEqual([409, 'expired_handshake']);
    const invented = { ...late.body, handshake: 'nothing.nothing' };
    expect(errorOf(await bench.post('/credentials/srp/finish', invented))).toEqual([409, 'expired_handshake']);
  });

  test('after five wrong passwords the source has to wait, longer each time; other sources do not', async () => {
    const email = await createAccount();
    const otherSource = { 'x-forwarded-for': '198.51.100.7' };
    for (let n = 0; n < 5; n++) expect((await signIn(email, NEXT, otherSource)).status).toBe(401);
    const waits: number[] = [];
    for (let n = 0; n < 3; n++) {
      const blocked = await signIn(email, PASSWORD, otherSource);
      expect(errorOf(blocked)).toEqual([429, 'rate_limited']);
      waits.push(Number(blocked.headers.get('retry-after')));
      bench.clock.pass(waits.at(-1)! * SECOND);
      expect((await signIn(email, NEXT, otherSource)).status).toBe(401);
    }
    expect(waits).toEqual([1, 2, 4]);
    expect((await signIn(email, PASSWORD, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
    bench.clock.pass(15 * MINUTE);
    expect((await signIn(email, PASSWORD, otherSource)).status).toBe(200);
    expect((await signIn(email, NEXT, otherSource)).status).toBe(401);
  });

  test('concurrent wrong passwords count too', async () => {
    const email = await createAccount();
    const from = { 'x-forwarded-for': '198.51.100.8' };
    const proofs = await Promise.all(
      Array.from({ length: 10 }, () => prove(bench, clinic.credentials, email, NEXT, from)),
    );
    const responses = await Promise.all(
      proofs.map(({ body }) => bench.post('/credentials/srp/finish', body, { headers: from })),
    );
    expect(responses.map((response) => response.status).sort()).toEqual([...Array(5).fill(401), ...Array(5).fill(429)]);
  });
});

describe('the password proof of an unconfirmed sign-up', () => {
  test('changes no password and does not prove the account', async () => {
    const [email, attempt] = [await createAccount(), newAttempt()];
    const { access_token: token } = (await signIn(email)).body;
    bench.clock.pass(11 * MINUTE);
    const attackerSrp = register(NEXT);
    expect((await post('/sign_up', { email, attempt, srp: attackerSrp })).status).toBe(202);
    const { body } = await prove(bench, clinic.credentials, email, NEXT, {}, attempt);
    const change = await bench.call('PUT', '/identity/user/password', { ...body, srp: attackerSrp }, { token });
    expect(errorOf(change)).toEqual([401, 'invalid_credentials']);
    expect(errorOf(await signInToSignUp(email, PASSWORD, attempt))).toEqual([401, 'invalid_credentials']);
    expect((await signIn(email)).status).toBe(200);
  });

  test('does not reset wrong attempts at the account or at another sign-up', async () => {
    const [email, attempt] = [newEmail(), newAttempt()];
    const ip = { 'x-forwarded-for': '198.51.100.90' };
    const tries = (password: string, as?: string) =>
      signInWithPassword(bench, clinic.credentials, email, password, ip, as);
    await signUp(email);
    bench.clock.pass(11 * MINUTE);
    await post('/sign_up', { email, attempt, srp: register(NEXT) });
    const since = bench.clock.now();
    for (const as of [undefined, ATTEMPT]) {
      for (let n = 0; n < 5; n++) expect((await tries('not this one either', as)).status).toBe(401);
      expect(errorOf(await tries(NEXT, attempt))).toEqual([403, 'account_not_confirmed']);
    }
    // By source, and at the account in a row too; the device that signed up is known to its own sign-up.
    const counted = (inRow: boolean) =>
      clinic.ctx.db.signInFailure.count({ where: { failures: 5, inRow, failedAt: { gt: since } } });
    expect([await counted(false), await counted(true)]).toEqual([2, 1]);
  });
});

describe('an invitation', () => {
  async function invited(email: string, expiresInMs: number) {
    const id = crypto.randomUUID();
    const { db, tenantId } = clinic.ctx;
    await db.patient.create({ data: { id, tenantId, email, status: 'invited' } });
    const temporaryUntil = new Date(bench.clock.now().getTime() + expiresInMs);
    await db.patientSignIn.create({
      data: { tenantId, patientId: id, ...registrationColumns(clinic.ctx, id, registration), temporaryUntil },
    });
    return email;
  }

  test('is completed once, with the patient’s own password', async () => {
    const email = await invited(newEmail(), HOUR);
    const { status, body } = await signIn(email);
    expect([status, body.new_password_required, body.access_token]).toEqual([200, true, undefined]);
    const complete = (srp: Registration) =>
      bench.post('/credentials/complete_invitation', { continuation: body.continuation, srp });
    expect(errorOf(await complete(register(NEXT)))).toEqual([422, 'invalid_parameter']);
    const response = await complete(register(NEXT, registration.identity));
    expect(response.body.user).toMatchObject({ email, email_verified: true });
    expect(errorOf(await complete(register(NEXT, registration.identity)))).toEqual([409, 'expired_handshake']);
    expect(errorOf(await signIn(email))).toEqual([401, 'invalid_credentials']);
    expect((await signIn(email, NEXT)).status).toBe(200);
    expect(await clinic.ctx.db.patient.findFirst({ where: { email } })).toMatchObject({
      status: 'active',
      canSignIn: true,
    });
  });

  test('expires', async () => {
    expect(errorOf(await signIn(await invited(newEmail(), -1)))).toEqual([403, 'invitation_expired']);
  });
});

describe('a forgotten password', () => {
  test('is replaced with the mailed code, which ends every session', async () => {
    const email = await createAccount();
    const session = (await signIn(email)).body;
    bench.clock.pass(11 * MINUTE);
    expect((await post('/reset', { email, attempt: ATTEMPT })).status).toBe(202);
    const code = await bench.codeFor(email);
    const srp = register(NEXT);
    expect(errorOf(await post('/confirm', { email, attempt: ATTEMPT, code }))).toEqual([422, 'invalid_code']);
    expect(errorOf(await post('/reset/complete', { email, attempt: ATTEMPT, code: other(code), srp }))).toEqual([
      422,
      'invalid_code',
    ]);
    expect((await post('/reset/complete', { email, attempt: ATTEMPT, code, srp })).status).toBe(204);
    expect((await me(session.access_token)).status).toBe(401);
    expect((await bench.refresh(clinic.credentials, session.refresh_token)).status).toBe(400);
    expect(errorOf(await signIn(email))).toEqual([401, 'invalid_credentials']);
    expect((await signIn(email, NEXT)).status).toBe(200);
    await bench.settled();
    expect((await bench.messages(email))[0]?.subject).toContain('your password was changed');
  });
});
