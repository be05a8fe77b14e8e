import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { type SignedIn, signedIn } from '#dev/testing/signed-in.ts';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic, 'reader');
});
afterAll(() => bench?.stop());

const reads = (patient: SignedIn, language: string) =>
  clinic.ctx.db.patient.updateMany({ where: { id: patient.user.user_id }, data: { language } });
const requestReset = (email: string) =>
  bench.post('/credentials/reset', { client_id: clinic.credentials, email, attempt: ATTEMPT });
async function newest(to: string) {
  await bench.settled();
  return (await bench.messages(to))[0];
}

test('a patient gets sign-in messages in their language, by email and by text', async () => {
  const email = people.newEmail();
  await reads(await people.byEmail(email), 'es-US');
  await requestReset(email);
  const mail = await newest(email);
  expect(mail?.subject).toBe('Riverbend Clinic: elija una contraseña nueva');
  expect(mail?.text).toMatch(/^Use este código .* 5 minutos\..*Se pidió desde .*, el \d{1,2} de [a-z]+ de \d{4}/s);
  expect(mail?.html).toContain('<html lang="es">');
  const number = people.newNumber();
  await reads(await people.byPhone(number), 'es');
  await bench.post('/passwordless/sign_in', { client_id: clinic.passwordless, phone_number: number });
  expect((await newest(number))?.text).toMatch(/^\d{6} es su clave para entrar en Riverbend Clinic\. Vale 5 minutos\./);
});

test('a future address and a former one get messages in the patient’s language too', async () => {
  const [before, after] = [people.newEmail(), people.newEmail()];
  const patient = await people.byEmail(before);
  await reads(patient, 'es');
  await people.as(patient, 'PATCH', '/email', { email: after, device: patient.device });
  expect((await newest(after))?.subject).toMatch(/confirme su nuevo correo electrónico$/);
  await people.as(patient, 'POST', '/email/verify', { code: await bench.codeFor(after), device: patient.device });
  expect((await newest(before))?.subject).toMatch(/se cambió su correo electrónico$/);
});

test('an unsupported language and an unknown address fall back to the clinic’s language', async () => {
  const [patientEmail, unknownEmail] = [people.newEmail(), people.newEmail()];
  await reads(await people.byEmail(patientEmail), 'vi');
  const both = async () => {
    for (const email of [patientEmail, unknownEmail]) await requestReset(email);
    return [(await newest(patientEmail))?.subject, (await newest(unknownEmail))?.subject];
  };
  expect(await both()).toEqual(['Riverbend Clinic: set a new password', 'Riverbend Clinic: no code for this address']);
  const settings = { ...DEFAULT_SETTINGS, language: 'es-MX' };
  const { tenantId, db } = clinic.ctx;
  await db.messageSettings.create({ data: { tenantId, settings, version: 1, updatedAt: bench.clock.now() } });
  bench.clock.pass(60_000);
  expect(await both()).toEqual([
    'Riverbend Clinic: elija una contraseña nueva',
    'Riverbend Clinic: no hay código para esta dirección',
  ]);
});
