import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { newAttempt, prove, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, PASSWORD, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import { MINUTE } from '#server/core/clock.ts';
import { asPatient } from '../verification/request-context.ts';
import { setPassword } from './set-password.ts';

const OWNER_PASSWORD = 'another quite long passphrase';
const ATTACKER_PASSWORD = 'a third one that its owner never saw';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic);
});
afterAll(() => bench?.stop());

const own = (patient: SignedIn) => ({ tenantId: clinic.ctx.tenantId, patientId: patient.user.user_id });
const liveSessions = (patient: SignedIn) =>
  clinic.ctx.db.patientSession.count({ where: { ...own(patient), endedAt: null } });
const signInOf = (patient: SignedIn) =>
  clinic.ctx.db.patientSignIn.findUniqueOrThrow({ where: { tenantId_patientId: own(patient) } });

/** Replaces the owner's password while another request waits that has verified the previous one. */
async function replacePasswordDuring(patient: SignedIn, other: () => Promise<TestResponse>): Promise<TestResponse> {
  const { tenantId, patientId } = own(patient);
  const patientCtx = asPatient(clinic.ctx, patientId, clinic.credentials);
  const srp = register(OWNER_PASSWORD, (await signInOf(patient)).srpIdentity!);
  const replaced = await clinic.ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`
      select 1 from patient_sign_ins where tenant_id = ${tenantId}::uuid and patient_id = ${patientId}::uuid for update`;
    const response = other();
    await pause(500);
    await setPassword(tx, patientCtx, { patientId, srp, action: 'patients.change_password' });
    return { response };
  });
  return replaced.response;
}

describe('a caller whose verified password is replaced at the same moment', () => {
  test('does not sign in', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const proof = await prove(bench, clinic.credentials, email, PASSWORD);
    const response = await replacePasswordDuring(patient, () => bench.post('/credentials/srp/finish', proof.body));
    expect(errorOf(response)).toEqual([409, 'expired_handshake']);
    expect(await liveSessions(patient)).toBe(0);
    expect((await people.signIn(email, OWNER_PASSWORD)).status).toBe(200);
  });

  test('cannot set their own password', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const { started, body } = await prove(bench, clinic.credentials, email, PASSWORD);
    const srp = register(ATTACKER_PASSWORD, started.body.identity);
    const response = await replacePasswordDuring(patient, () =>
      people.as(patient, 'PUT', '/password', { ...body, srp }),
    );
    expect(response.status).toBe(401);
    expect(errorOf(await people.signIn(email, ATTACKER_PASSWORD))).toEqual([401, 'invalid_credentials']);
    expect((await people.signIn(email, OWNER_PASSWORD)).status).toBe(200);
  });

  test('cannot finish a step started with it', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const where = { tenantId_patientId: own(patient) };
    await clinic.ctx.db.patientSignIn.update({
      where,
      data: { resetBy: 'password', resetRequiredAt: bench.clock.now() },
    });
    const { continuation } = (await people.signIn(email)).body;
    const stepFilter = { ...own(patient), kind: 'continuation' };
    const step = await clinic.ctx.db.signInStep.findFirstOrThrow({ where: stepFilter });
    const identity = (await signInOf(patient)).srpIdentity!;
    const complete = (password: string) =>
      bench.post('/credentials/complete_invitation', { continuation, srp: register(password, identity) });
    expect((await complete(OWNER_PASSWORD)).status).toBe(200);
    // Restores the step, as if it had been created just when the others ended.
    await clinic.ctx.db.signInStep.create({ data: { ...step, state: new Uint8Array(step.state) } });
    expect(errorOf(await complete(ATTACKER_PASSWORD))).toEqual([409, 'expired_handshake']);
    expect((await people.signIn(email, OWNER_PASSWORD)).status).toBe(200);
  });
});

describe('a reset code that someone else requested before', () => {
  const requestReset = async (email: string) => {
    bench.clock.pass(MINUTE);
    const request = { client_id: clinic.credentials, email, attempt: newAttempt() };
    await bench.post('/credentials/reset', request);
    const withCode = { ...request, code: await bench.codeFor(email) };
    return (password: string) => bench.post('/credentials/reset/complete', { ...withCode, srp: register(password) });
  };

  test('sets no password once the owner has reset it', async () => {
    const email = people.newEmail();
    await people.byEmail(email);
    const [attackerReset, ownerReset] = [await requestReset(email), await requestReset(email)];
    expect((await ownerReset(OWNER_PASSWORD)).status).toBe(204);
    expect(errorOf(await attackerReset(ATTACKER_PASSWORD))).toEqual([422, 'invalid_code']);
    expect((await people.signIn(email, OWNER_PASSWORD)).status).toBe(200);
  });

  test('sets no password once the owner has changed it', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const attackerReset = await requestReset(email);
    const { started, body } = await prove(bench, clinic.credentials, email, PASSWORD);
    const srp = register(OWNER_PASSWORD, started.body.identity);
    expect((await people.as(patient, 'PUT', '/password', { ...body, srp })).status).toBe(200);
    expect(errorOf(await attackerReset(ATTACKER_PASSWORD))).toEqual([422, 'invalid_code']);
  });

  test('used concurrently with the owner’s leaves one of the two passwords, without an error', async () => {
    for (let round = 0; round < 4; round += 1) {
      const email = people.newEmail();
      await people.byEmail(email);
      const [attackerReset, ownerReset] = [await requestReset(email), await requestReset(email)];
      const responses = await Promise.all([attackerReset(ATTACKER_PASSWORD), ownerReset(OWNER_PASSWORD)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 422]);
    }
  });
});
