import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { newAttempt, prove, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, PASSWORD, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import { MINUTE } from '#server/core/clock.ts';
import { asPatient } from '../verification/request-context.ts';
import { setPassword } from './set-password.ts';

const OWNERS = 'another quite long passphrase';
const THIEFS = 'a third one that its owner never saw';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic);
});
afterAll(() => bench?.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const own = (patient: SignedIn) => ({ tenantId: clinic.ctx.tenantId, patientId: patient.user.user_id });
const liveSessions = (patient: SignedIn) =>
  clinic.ctx.db.patientSession.count({ where: { ...own(patient), endedAt: null } });
const signInOf = (patient: SignedIn) =>
  clinic.ctx.db.patientSignIn.findUniqueOrThrow({ where: { tenantId_patientId: own(patient) } });

/** Replaces the owner's password while another request waits that has verified the previous one. */
async function replaceBeside(patient: SignedIn, other: () => Promise<TestResponse>): Promise<TestResponse> {
  const { tenantId, patientId } = own(patient);
  const named = asPatient(clinic.ctx, patientId, clinic.credentials);
  const srp = register(OWNERS, (await signInOf(patient)).srpIdentity!);
  const beside = await clinic.ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`
      select 1 from patient_sign_ins where tenant_id = ${tenantId}::uuid and patient_id = ${patientId}::uuid for update`;
    const response = other();
    await pause(500);
    await setPassword(tx, named, { patientId, srp, action: 'patients.change_password' });
    return { response };
  });
  return beside.response;
}

describe('a caller whose verified password is replaced at the same moment', () => {
  test('does not sign in', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const half = await prove(bench, clinic.credentials, email, PASSWORD);
    const response = await replaceBeside(patient, () => bench.post('/credentials/srp/finish', half.body));
    expect(errorOf(response)).toEqual([409, 'expired_handshake']);
    expect(await liveSessions(patient)).toBe(0);
    expect((await people.signIn(email, OWNERS)).status).toBe(200);
  });

  test('cannot set their own password', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const { started, body } = await prove(bench, clinic.credentials, email, PASSWORD);
    const srp = register(THIEFS, started.body.identity);
    const response = await replaceBeside(patient, () => people.as(patient, 'PUT', '/password', { ...body, srp }));
    expect(response.status).toBe(401);
    expect(errorOf(await people.signIn(email, THIEFS))).toEqual([401, 'invalid_credentials']);
    expect((await people.signIn(email, OWNERS)).status).toBe(200);
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
    const begun = { ...own(patient), kind: 'continuation' };
    const step = await clinic.ctx.db.signInStep.findFirstOrThrow({ where: begun });
    const identity = (await signInOf(patient)).srpIdentity!;
    const complete = (password: string) =>
      bench.post('/credentials/complete_invitation', { continuation, srp: register(password, identity) });
    expect((await complete(OWNERS)).status).toBe(200);
    // Restores the step, as if it had been created just when the others ended.
    await clinic.ctx.db.signInStep.create({ data: { ...step, state: new Uint8Array(step.state) } });
    expect(errorOf(await complete(THIEFS))).toEqual([409, 'expired_handshake']);
    expect((await people.signIn(email, OWNERS)).status).toBe(200);
  });
});

describe('a reset code that someone else requested before', () => {
  const ask = async (email: string) => {
    bench.clock.pass(MINUTE);
    const asked = { client_id: clinic.credentials, email, attempt: newAttempt() };
    await bench.post('/credentials/reset', asked);
    const withCode = { ...asked, code: await bench.codeFor(email) };
    return (password: string) => bench.post('/credentials/reset/complete', { ...withCode, srp: register(password) });
  };

  test('sets no password once the owner has reset it', async () => {
    const email = people.newEmail();
    await people.byEmail(email);
    const [thiefs, owners] = [await ask(email), await ask(email)];
    expect((await owners(OWNERS)).status).toBe(204);
    expect(errorOf(await thiefs(THIEFS))).toEqual([422, 'invalid_code']);
    expect((await people.signIn(email, OWNERS)).status).toBe(200);
  });

  test('sets no password once the owner has changed it', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const thiefs = await ask(email);
    const { started, body } = await prove(bench, clinic.credentials, email, PASSWORD);
    const srp = register(OWNERS, started.body.identity);
    expect((await people.as(patient, 'PUT', '/password', { ...body, srp })).status).toBe(200);
    expect(errorOf(await thiefs(THIEFS))).toEqual([422, 'invalid_code']);
  });

  test('used concurrently with the owner’s leaves one of the two passwords, without an error', async () => {
    for (let round = 0; round < 4; round += 1) {
      const email = people.newEmail();
      await people.byEmail(email);
      const [thiefs, owners] = [await ask(email), await ask(email)];
      const responses = await Promise.all([thiefs(THIEFS), owners(OWNERS)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 422]);
    }
  });
});
