import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { prove } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, PASSWORD, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import { MINUTE } from '#server/core/clock.ts';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic);
});
afterAll(() => bench?.stop());

const requestCode = (patient: SignedIn) => people.as(patient, 'POST', '/proof/code', {});
const submitCode = (patient: SignedIn, code: string) => people.as(patient, 'POST', '/proof', { code });
async function byCode(patient: SignedIn, address: string): Promise<TestResponse> {
  bench.clock.pass(MINUTE);
  expect((await requestCode(patient)).status).toBe(202);
  return submitCode(patient, await bench.codeFor(address));
}
async function byPassword(patient: SignedIn, email: string, password = PASSWORD) {
  const { body, isServer } = await prove(bench, clinic.credentials, email, password);
  const response = await people.as(patient, 'POST', '/proof', body);
  return { response, isServer };
}
async function changeEmail(patient: SignedIn, proof: string, email = people.newEmail()): Promise<string> {
  expect((await people.as(patient, 'PATCH', '/email', { email, proof })).status).toBe(202);
  const code = await bench.codeFor(email);
  expect((await people.as(patient, 'POST', '/email/verify', { code, proof })).status).toBe(200);
  return email;
}
const newest = async (address: string) => {
  await bench.settled();
  return (await bench.messages(address))[0]?.text ?? '';
};
const changeError = async (patient: SignedIn, proof: string) =>
  errorOf(await people.as(patient, 'PATCH', '/email', { email: people.newEmail(), proof }));

describe('on an unknown device, a change of an address requires', () => {
  test('the password, and the old address may undo it', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const { response, isServer } = await byPassword(patient, email);
    expect(response.body).toEqual({ proof: expect.any(String), expires_in: 900, M2: expect.any(String) });
    expect(isServer(response.body.M2)).toBe(true);
    await changeEmail(patient, response.body.proof);
    expect(await newest(email)).toContain('/undo#');
  });

  test('or a code to the current address, which then cannot undo it', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const { body } = await byCode(patient, email);
    expect(body).toEqual({ proof: expect.any(String), expires_in: 900 });
    await changeEmail(patient, body.proof);
    const message = await newest(email);
    expect(message).toContain('this one is no longer used');
    expect(message).not.toContain('/undo#');
  });

  test('for a patient who signs in by text message, a code to that number', async () => {
    const [number, next] = [people.newNumber(), people.newNumber()];
    const patient = await people.byPhone(number);
    const { proof } = (await byCode(patient, number)).body;
    expect((await people.as(patient, 'PATCH', '/phone', { phone_number: next, proof })).status).toBe(202);
    const code = await bench.codeFor(next);
    const verified = await people.as(patient, 'POST', '/phone/verify', { code, proof });
    expect(verified.body.phone_number).toBe(next);
    expect(await newest(number)).toContain('this one is no longer used. Not you? Tell us at once.');
  });

  test('and an address that did not confirm the change may still undo it', async () => {
    const [email, first, second] = [people.newEmail(), people.newNumber(), people.newNumber()];
    const patient = await people.byEmail(email);
    const { device } = patient;
    await people.as(patient, 'PATCH', '/phone', { phone_number: first, device });
    await people.as(patient, 'POST', '/phone/verify', { code: await bench.codeFor(first), device });
    const { proof } = (await byCode(patient, email)).body;
    await people.as(patient, 'PATCH', '/phone', { phone_number: second, proof });
    await people.as(patient, 'POST', '/phone/verify', { code: await bench.codeFor(second), proof });
    expect(await newest(first)).toContain('/undo#');
  });
});

describe('a code for a proof', () => {
  test('never goes to a contact that the holder of a token can write', async () => {
    const [email, planted] = [people.newEmail(), people.newNumber()];
    const patient = await people.byEmail(email);
    const phones_attributes = [{ number: planted, primary: true }];
    const path = `/api/v1/patients/${patient.user.user_id}`;
    expect((await bench.call('PATCH', path, { phones_attributes }, { token: patient.access_token })).status).toBe(200);
    await byCode(patient, email);
    expect(await bench.messages(planted)).toEqual([]);
  });

  test('belongs to one session: another one of the patient neither uses nor replaces it', async () => {
    const number = people.newNumber();
    const session = await people.byPhone(number);
    bench.clock.pass(MINUTE);
    const other = await people.byText(number);
    bench.clock.pass(MINUTE);
    await requestCode(session);
    const code = await bench.codeFor(number);
    bench.clock.pass(2 * MINUTE);
    await requestCode(other);
    expect(errorOf(await submitCode(other, code))).toEqual([422, 'invalid_code']);
    expect((await submitCode(session, code)).status).toBe(200);
  });

  test('returns the same proof when repeated under its Idempotency-Key, while it is valid', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    bench.clock.pass(MINUTE);
    await requestCode(patient);
    const code = await bench.codeFor(email);
    const send = (key: string) =>
      bench.post('/user/proof', { code }, { token: patient.access_token, headers: { 'idempotency-key': key } });
    const [first, repeated, other] = [await send('one'), await send('one'), await send('other')];
    expect([first.status, repeated.body]).toEqual([200, first.body]);
    expect(errorOf(other)).toEqual([422, 'invalid_code']);
    bench.clock.pass(16 * MINUTE);
    expect(errorOf(await send('one'))).toEqual([422, 'expired_code']);
  });
});

describe('a proof', () => {
  test('works for both steps of both changes, and expires after 15 minutes', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const { proof } = (await byPassword(patient, email)).response.body;
    await changeEmail(patient, proof);
    bench.clock.pass(14 * MINUTE);
    const phone_number = people.newNumber();
    expect((await people.as(patient, 'PATCH', '/phone', { phone_number, proof })).status).toBe(202);
    const code = await bench.codeFor(phone_number);
    expect((await people.as(patient, 'POST', '/phone/verify', { code, proof })).status).toBe(200);
    bench.clock.pass(MINUTE);
    expect(await changeError(patient, proof)).toEqual([403, 'proof_required']);
  });

  test('belongs to one session of one patient', async () => {
    const email = people.newEmail();
    const session = await people.byEmail(email);
    const other: SignedIn = (await people.signIn(email)).body;
    const otherPatient = await people.byEmail();
    const { proof } = (await byPassword(session, email)).response.body;
    expect(await changeError(other, proof)).toEqual([403, 'proof_required']);
    expect(await changeError(otherPatient, proof)).toEqual([403, 'proof_required']);
  });

  test('is not issued for another patient’s password, nor for a wrong one', async () => {
    const [email, otherEmail] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(email);
    await people.byEmail(otherEmail);
    expect(errorOf((await byPassword(patient, otherEmail)).response)).toEqual([401, 'invalid_credentials']);
    expect(errorOf((await byPassword(patient, email, 'quite another passphrase')).response)).toEqual([
      401,
      'invalid_credentials',
    ]);
  });

  test('issued through the old address ends when the owner changes it', async () => {
    const lost = people.newEmail();
    const owner = await people.byEmail(lost);
    const thief: SignedIn = (await people.signIn(lost)).body;
    const { proof } = (await byCode(thief, lost)).body;
    const { device } = owner;
    const email = people.newEmail();
    await people.as(owner, 'PATCH', '/email', { email, device });
    await people.as(owner, 'POST', '/email/verify', { code: await bench.codeFor(email), device });
    expect(await changeError(thief, proof)).toEqual([403, 'proof_required']);
  });

  test('is stored as a hash only, and audited with its method', async () => {
    const email = people.newEmail();
    const patient = await people.byEmail(email);
    const { proof } = (await byCode(patient, email)).body;
    const where = { patientId: patient.user.user_id };
    const steps = await clinic.ctx.db.signInStep.findMany({ where: { ...where, kind: 'proof' } });
    expect(steps).toHaveLength(1);
    expect(JSON.stringify(steps)).not.toContain(proof.split('.')[1]);
    const [entry] = await clinic.ctx.db.auditEntry.findMany({ where: { ...where, action: 'users.verify' } });
    expect(entry?.details).toEqual({ by: 'code' });
  });
});

test.each([
  ['nothing', {}],
  ['half a password', { handshake: 'a.b' }],
  ['both', { code: '123456', handshake: 'a.b', M1: 'ab'.repeat(32) }],
])('%s does not create a proof', async (_, body) => {
  const patient = await people.byPhone();
  expect((await people.as(patient, 'POST', '/proof', body)).status).toBe(422);
});
