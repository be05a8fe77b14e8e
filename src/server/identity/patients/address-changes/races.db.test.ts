import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asPractitioner } from '#dev/testing/actors.ts';
import { type AddressChangeResponse, addressChanges } from '#dev/testing/address-changes.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, prove, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, PASSWORD, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import { MINUTE } from '#server/core/clock.ts';
import { changeEmail } from '#server/patients/change-email.ts';
import { changePhone } from '#server/patients/change-phone.ts';
import { deleteCodesAndSteps } from '../../verification/steps.ts';
import { helpSignIn } from '../help/help-sign-in.ts';

/** Each round has another head start, so that each side comes first in some. */
const ROUNDS = process.env.PROVE ? 40 : 1;
const NEXT = 'another quite long passphrase';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;
let moved: ReturnType<typeof addressChanges>;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic);
  moved = addressChanges(bench, people);
});
afterAll(() => bench?.stop());
beforeEach(() => bench.moveSource());

const own = (patient: SignedIn) => ({ tenantId: clinic.ctx.tenantId, patientId: patient.user.user_id });
const liveSessions = (patient: SignedIn) =>
  clinic.ctx.db.patientSession.count({ where: { ...own(patient), endedAt: null } });
const lockOf = async (patient: SignedIn) =>
  (await clinic.ctx.db.patientSignIn.findFirstOrThrow({ where: own(patient) })).resetBy;
const expectNoServerError = (response: TestResponse | AddressChangeResponse) =>
  expect(response.status).toBeLessThan(500);

/** Runs an undo and another request concurrently, with an offset of some milliseconds in either direction. */
async function runConcurrently(
  round: number,
  undo: () => Promise<AddressChangeResponse>,
  other: () => Promise<TestResponse>,
): Promise<TestResponse> {
  const lead = round % 2 ? round * 2 : 0;
  const lag = round % 2 ? 0 : round * 2;
  const [undone, response] = await Promise.all([pause(lead).then(undo), pause(lag).then(other)]);
  expect([undone.status, undone.body.state]).toEqual([200, 'undone']);
  expectNoServerError(response);
  return response;
}
/** Each round is 15 minutes later and from another source, so that rate limits do not end a long run. */
function* rounds() {
  for (let round = 0; round < ROUNDS; round += 1) {
    bench.moveSource();
    bench.clock.pass(15 * MINUTE);
    yield round;
  }
}

test('concurrent undos of one change take effect once and get the same response', async () => {
  const patient = await people.byEmail();
  const link = await moved.move(patient, people.newEmail());
  const responses = await Promise.all(Array.from({ length: 16 }, () => moved.undo(link)));
  for (const { status, body } of responses) expect([status, body]).toEqual([200, responses[0]!.body]);
  expect(responses[0]!.body).toMatchObject({ state: 'undone', restored: true, needs: 'password' });
  // Entries of repeated requests name the visitor.
  const where = { patientId: patient.user.user_id, action: 'address_changes.undo', actorType: 'System' };
  expect(await clinic.ctx.db.auditEntry.count({ where })).toBe(1);
});

test('concurrent undos of two chained changes restore the first address', async () => {
  for (const _ of rounds()) {
    const [a, b, c] = [people.newNumber(), people.newNumber(), people.newNumber()];
    const patient = await people.byPhone(a);
    const [first, second] = [await moved.move(patient, b), await moved.move(patient, c)];
    for (const response of await Promise.all([moved.undo(second), moved.undo(first)])) expectNoServerError(response);
    const { phoneNumber } = await clinic.ctx.db.patientSignIn.findFirstOrThrow({ where: own(patient) });
    expect(phoneNumber).toBe(a);
  }
});

describe('ends during a concurrent undo:', () => {
  test('another change of the address', async () => {
    for (const round of rounds()) {
      const [a, b, c] = [people.newNumber(), people.newNumber(), people.newNumber()];
      const patient = await people.byPhone(a);
      const link = await moved.move(patient, b);
      const { device } = patient;
      await people.as(patient, 'PATCH', '/phone', { phone_number: c, device });
      const code = await bench.codeFor(c);
      const verify = () => people.as(patient, 'POST', '/phone/verify', { code, device });
      await runConcurrently(round, () => moved.undo(link), verify);
      const { phoneNumber } = await clinic.ctx.db.patientSignIn.findFirstOrThrow({ where: own(patient) });
      expect([phoneNumber, await lockOf(patient), await liveSessions(patient)]).toEqual([a, 'staff', 0]);
    }
  });

  test('a refresh', async () => {
    for (const round of rounds()) {
      const patient = await people.byPhone();
      const link = await moved.move(patient, people.newNumber());
      const refresh = () => bench.refresh(clinic.passwordless, patient.refresh_token);
      const response = await runConcurrently(round, () => moved.undo(link), refresh);
      if (response.status === 200)
        expect((await bench.refresh(clinic.passwordless, response.body.refresh_token)).status).toBe(400);
      expect(await liveSessions(patient)).toBe(0);
      expect(await clinic.ctx.db.refreshToken.count({ where: { session: own(patient) } })).toBe(0);
    }
  });

  test('a sign-in by text message', async () => {
    for (const round of rounds()) {
      const number = people.newNumber();
      const patient = await people.byPhone();
      const link = await moved.move(patient, number);
      bench.clock.pass(MINUTE);
      const requested = await bench.post('/passwordless/sign_in', {
        client_id: clinic.passwordless,
        phone_number: number,
      });
      const body = { challenge: requested.body.challenge, code: await bench.codeFor(number) };
      await runConcurrently(
        round,
        () => moved.undo(link),
        () => bench.post('/passwordless/complete', body),
      );
      expect(await liveSessions(patient)).toBe(0);
      expect(await clinic.ctx.db.knownDevice.count({ where: own(patient) })).toBe(0);
    }
  });

  test('a sign-in by password', async () => {
    const email = people.newEmail();
    let address = email;
    let password = PASSWORD;
    let patient = await people.byEmail(email);
    for (const round of rounds()) {
      const next = people.newEmail();
      const link = await moved.move(patient, next);
      const proof = await prove(bench, clinic.credentials, next, password);
      await runConcurrently(
        round,
        () => moved.undo(link),
        () => bench.post('/credentials/srp/finish', proof.body),
      );
      expect([await liveSessions(patient), await lockOf(patient)]).toEqual([0, 'password']);
      // Prepares the next round with the remaining way to sign in.
      const { continuation } = (await people.signIn(address, password)).body;
      const { started } = await prove(bench, clinic.credentials, address, password);
      password = round % 2 ? PASSWORD : NEXT;
      const srp = register(password, started.body.identity);
      patient = (await bench.post('/credentials/complete_invitation', { continuation, srp })).body;
      address = patient.user.email!;
    }
  }, 600_000);

  test('a reset: it is rejected, or its password does not lift the lock', async () => {
    const patient = await people.byEmail();
    const link = await moved.move(patient, people.newEmail());
    const { email } = (await people.as(patient, 'GET', '')).body;
    bench.clock.pass(MINUTE);
    await bench.post('/credentials/reset', { client_id: clinic.credentials, email, attempt: ATTEMPT });
    const code = await bench.codeFor(email);
    const body = { client_id: clinic.credentials, email, attempt: ATTEMPT, code, srp: register(NEXT) };
    const response = await runConcurrently(
      1,
      () => moved.undo(link),
      () => bench.post('/credentials/reset/complete', body),
    );
    expect(await lockOf(patient)).toBe(response.status === 204 ? 'staff' : 'password');
  });
});

describe('at the worst moment:', () => {
  /** The lock that an undo sets, without its other effects. */
  const lock = (patient: SignedIn, resetBy: 'password' | 'staff') =>
    clinic.ctx.db.patientSignIn.update({
      where: { tenantId_patientId: own(patient) },
      data: { resetBy, resetRequiredAt: bench.clock.now() },
    });

  test('a session that would start while the lock is being set waits for it and does not start', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const proof = await prove(bench, clinic.credentials, email, PASSWORD);
    const sessions = await liveSessions(patient);
    const finishing = await clinic.ctx.db.$transaction(async (tx) => {
      await tx.patientSignIn.update({
        where: { tenantId_patientId: own(patient) },
        data: { resetBy: 'staff', resetRequiredAt: bench.clock.now() },
      });
      const response = bench.post('/credentials/srp/finish', proof.body);
      await pause(500);
      return { response };
    });
    const { status, body } = await finishing.response;
    expect([status, body.errors[0].code]).toEqual([409, 'expired_handshake']);
    expect(await liveSessions(patient)).toBe(sessions);
  });

  test('a session that has just ended changes nothing, even while it is cached', async () => {
    const [number, next] = [people.newNumber(), people.newNumber()];
    const patient = await people.byPhone(number);
    const { device } = patient;
    await people.as(patient, 'PATCH', '/phone', { phone_number: next, device });
    const code = await bench.codeFor(next);
    expect((await people.as(patient, 'GET', '')).status).toBe(200);
    await clinic.ctx.db.patientSession.updateMany({ where: own(patient), data: { endedAt: bench.clock.now() } });
    const verified = await people.as(patient, 'POST', '/phone/verify', { code, device });
    expect([verified.status, verified.headers.get('www-authenticate')]).toEqual([401, expect.any(String)]);
    const { phoneNumber } = await clinic.ctx.db.patientSignIn.findFirstOrThrow({ where: own(patient) });
    expect(phoneNumber).toBe(number);
  });

  test('a code for a new password that is mailed at the same moment sets none', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    bench.clock.pass(MINUTE);
    await bench.post('/credentials/reset', { client_id: clinic.credentials, email, attempt: ATTEMPT });
    const code = await bench.codeFor(email);
    await lock(patient, 'password');
    const body = { client_id: clinic.credentials, email, attempt: ATTEMPT, code, srp: register(NEXT) };
    expect((await bench.post('/credentials/reset/complete', body)).body.errors[0].code).toBe('invalid_code');
    expect((await people.signIn(email)).body).toMatchObject({ new_password_required: true });
  });

  test('a sign-in code that is texted at the same moment starts no session', async () => {
    const number = people.newNumber();
    const patient = await people.byPhone(number);
    bench.clock.pass(MINUTE);
    const requested = await bench.post('/passwordless/sign_in', {
      client_id: clinic.passwordless,
      phone_number: number,
    });
    const code = await bench.codeFor(number);
    await lock(patient, 'staff');
    const response = await bench.post('/passwordless/complete', { challenge: requested.body.challenge, code });
    expect(response.body.errors[0].code).toBe('invalid_code');
  });

  test('a code for a new password to an address that is being replaced sets none', async () => {
    const [email, next] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(email);
    const request = { client_id: clinic.credentials, email, attempt: ATTEMPT };
    await clinic.ctx.db.$transaction(async (tx) => {
      const change = { email: next, verified: true, action: 'patients.change_email' as const };
      await changeEmail(tx, clinic.ctx, patient.user.user_id, change);
      await deleteCodesAndSteps(tx, clinic.ctx, patient.user.user_id);
      await bench.post('/credentials/reset', request);
    });
    const body = { ...request, code: await bench.codeFor(email), srp: register(NEXT) };
    expect(errorOf(await bench.post('/credentials/reset/complete', body))).toEqual([422, 'invalid_code']);
    expect((await people.signIn(next)).status).toBe(200);
  });

  test('a sign-in code to a number that is being replaced starts no session', async () => {
    const [number, next] = [people.newNumber(), people.newNumber()];
    const patient = await people.byPhone(number);
    const sessions = await liveSessions(patient);
    const requested = await clinic.ctx.db.$transaction(async (tx) => {
      const change = { number: next, verified: true, action: 'patients.change_phone' as const };
      await changePhone(tx, clinic.ctx, patient.user.user_id, change);
      await deleteCodesAndSteps(tx, clinic.ctx, patient.user.user_id);
      const where = { tenantId_patientId: own(patient) };
      await tx.patientSignIn.update({ where, data: { phoneNumber: next } });
      return bench.post('/passwordless/sign_in', { client_id: clinic.passwordless, phone_number: number });
    });
    const body = { challenge: requested.body.challenge, code: await bench.codeFor(number) };
    expect(errorOf(await bench.post('/passwordless/complete', body))).toEqual([422, 'invalid_code']);
    expect(await liveSessions(patient)).toBe(sessions);
  });

  test('a step started with the previous password fails after staff issued another', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    await lock(patient, 'password');
    const { continuation } = (await people.signIn(email)).body;
    const step = await clinic.ctx.db.signInStep.findFirstOrThrow({ where: { ...own(patient), kind: 'continuation' } });
    const { srpIdentity } = await clinic.ctx.db.patientSignIn.findFirstOrThrow({ where: own(patient) });
    const staff = asPractitioner(bench.services, { id: clinic.ctx.tenantId });
    await helpSignIn(staff, { patient_id: patient.user.user_id, identity_check: 'Passport, seen', email });
    await clinic.ctx.db.signInStep.create({ data: { ...step, state: new Uint8Array(step.state) } });
    const body = { continuation, srp: register(NEXT, srpIdentity!) };
    expect((await bench.post('/credentials/complete_invitation', body)).status).toBe(409);
  });
});
