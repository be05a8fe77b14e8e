import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HelpSignInInput } from '#contract/patient-sign-in.ts';
import { asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { addressChanges } from '#dev/testing/address-changes.ts';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, prove, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, PASSWORD, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { isKnownDevice } from '../../verification/known-device.ts';
import { resendInvitation } from '../invitation/resend-invitation.ts';
import { getPatientSignIn } from './get-patient-sign-in.ts';
import { helpSignIn } from './help-sign-in.ts';

const NEXT = 'another quite long passphrase';
const CHECK = 'Passport with photograph, seen at the front desk';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;
let moved: ReturnType<typeof addressChanges>;
let staff: Context;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic);
  moved = addressChanges(bench, people);
  const { tenantId } = clinic.ctx;
  const { id } = await clinic.ctx.db.staffUser.create({
    data: { id: newId(), tenantId, email: 'rowan@example.test', name: 'Rowan Example', role: 'practitioner' },
  });
  staff = asPractitioner(bench.services, { id: tenantId }, id);
});
afterAll(() => bench?.stop());

type Way = { email: string } | { phone_number: string };
const help = (patient: SignedIn, way: Way, ctx = staff) =>
  helpSignIn(ctx, { patient_id: patient.user.user_id, identity_check: CHECK, ...way });
const own = (patient: SignedIn) => ({ tenantId: clinic.ctx.tenantId, patientId: patient.user.user_id });
const signInOf = (patient: SignedIn) => clinic.ctx.db.patientSignIn.findFirstOrThrow({ where: own(patient) });
const readSignIn = (patient: SignedIn) => getPatientSignIn(staff, { patient_id: patient.user.user_id });
const texts = async (address: string) => {
  await bench.settled();
  return (await bench.messages(address)).map(({ text }) => text);
};
const newestText = async (address: string) => (await texts(address))[0] ?? '';
/** Completes the newest invitation; another message sent at the same time may have arrived later. */
async function completeInvitation(email: string) {
  const passwords = (await texts(email)).map((text) => text.match(/\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b/)?.[0]);
  const temporary = passwords.find(Boolean);
  if (!temporary) throw new Error(`no temporary password reached ${email}`);
  const { continuation } = (await people.signIn(email, temporary)).body;
  const { started } = await prove(bench, clinic.credentials, email, temporary);
  const srp = register(NEXT, started.body.identity);
  return bench.post('/credentials/complete_invitation', { continuation, srp });
}

describe('a patient who lost their phone', () => {
  test('signs in with another number; the old number and known devices stop working', async () => {
    const [lost, number] = [people.newNumber(), people.newNumber()];
    const patient = await people.byPhone(lost);
    await help(patient, { phone_number: number });
    expect((await people.as(patient, 'GET', '')).status).toBe(401);
    expect((await bench.refresh(clinic.passwordless, patient.refresh_token)).status).toBe(400);
    const { device, user } = patient;
    expect(await isKnownDevice(clinic.ctx.db, clinic.ctx, device, { patientId: user.user_id })).toBe(false);
    expect(await newestText(lost)).toContain('changed how you sign in');
    expect(await newestText(lost)).not.toContain('/undo#');
    expect(await newestText(number)).toContain('sign in to the app with this phone number');
    expect(await readSignIn(patient)).toMatchObject({
      ways: ['text_message'],
      confirmed: false,
      phone_number_verified: false,
    });

    bench.clock.pass(MINUTE);
    const back = await people.byText(number, device);
    expect(back.user).toMatchObject({
      user_id: user.user_id,
      phone_number: number,
      phone_number_verified: true,
      username: number,
    });
    expect(back.device).toBeDefined();
    expect(await readSignIn(patient)).toMatchObject({ confirmed: true, phone_number_verified: true, locked: null });
    await bench.post('/passwordless/sign_in', { client_id: clinic.passwordless, phone_number: lost });
    expect(await newestText(lost)).not.toMatch(/is your sign-in code/);
  });

  test('keeps their record, on any device', async () => {
    const number = people.newNumber();
    const ways: Way[] = [{ phone_number: number }, { email: people.newEmail() }];
    for (const way of ways) {
      const patient = await people.byPhone();
      const { id } = { id: patient.user.user_id };
      const token = patient.access_token;
      await bench.call('PATCH', `/api/v1/patients/${id}`, { first_name: 'Ada', metadata: { own: 1 } }, { token });
      await help(patient, way);
      if ('email' in way) await completeInvitation(way.email);
      else await people.byText(number);
      const record = await clinic.ctx.db.patient.findFirstOrThrow({ where: { id } });
      expect(record).toMatchObject({ firstName: 'Ada', metadata: { own: 1 }, status: 'active', canSignIn: true });
    }
  });

  test('signs in by email instead', async () => {
    const [lost, email] = [people.newNumber(), people.newEmail()];
    const patient = await people.byPhone(lost);
    await help(patient, { email });
    expect(await readSignIn(patient)).toMatchObject({
      ways: ['invitation'],
      email,
      email_verified: false,
      phone_number: null,
    });
    const response = await completeInvitation(email);
    expect(response.body.user).toMatchObject({ user_id: patient.user.user_id, email, email_verified: true });
    expect(await readSignIn(patient)).toMatchObject({ ways: ['password'], confirmed: true });
  });
});

describe('a patient who lost their mailbox', () => {
  test('gets a temporary password at another address, which works once; the old address is notified', async () => {
    const [lost, email] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(lost);
    await help(patient, { email });
    expect(await newestText(lost)).toContain('this email address is no longer used for it');
    expect(errorOf(await people.signIn(email, PASSWORD))).toEqual([401, 'invalid_credentials']);
    expect((await completeInvitation(email)).body.user.user_id).toBe(patient.user.user_id);
    expect((await people.signIn(email, NEXT)).status).toBe(200);
  });

  test('gets another invitation when the first is lost', async () => {
    const [lost, email] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(lost);
    await help(patient, { email });
    const first = await newestText(email);
    await resendInvitation(staff, { id: patient.user.user_id });
    expect(await newestText(email)).not.toBe(first);
    expect((await completeInvitation(email)).status).toBe(200);
  });

  test('signs in by text message instead, and the previous password stops working', async () => {
    const [lost, number] = [people.newEmail(), people.newNumber()];
    const patient = await people.byEmail(lost);
    await help(patient, { phone_number: number });
    expect(errorOf(await people.signIn(lost))).toEqual([401, 'invalid_credentials']);
    expect((await people.byText(number)).user.user_id).toBe(patient.user.user_id);
  });
});

describe('a lock after an undone change', () => {
  test('is shown, and lifted by the help', async () => {
    const number = people.newNumber();
    const patient = await people.byPhone(number);
    await moved.undo(await moved.move(patient, people.newNumber()));
    const since = (await signInOf(patient)).resetRequiredAt!.toISOString();
    expect((await readSignIn(patient)).locked).toEqual({ since, needs: 'clinic' });
    await help(patient, { phone_number: number });
    expect((await readSignIn(patient)).locked).toBeNull();
    bench.clock.pass(11 * MINUTE);
    expect((await people.byText(number)).user.user_id).toBe(patient.user.user_id);
  });

  test('cannot be set again by older links, because staff have checked the identity', async () => {
    const [lost, attackerNumber] = [people.newNumber(), people.newNumber()];
    const patient = await people.byPhone(lost);
    const link = await moved.move(patient, attackerNumber);
    const number = people.newNumber();
    await help(patient, { phone_number: number });
    expect((await moved.undo(link)).body.state).toBe('over');
    expect(await signInOf(patient)).toMatchObject({ phoneNumber: number, resetBy: null });
  });
});

test('records the identity check encrypted with its author; the audit log names the record', async () => {
  const patient = await people.byPhone();
  await help(patient, { phone_number: people.newNumber() });
  const [entry] = await clinic.ctx.db.auditEntry.findMany({
    where: { patientId: patient.user.user_id, action: 'sign_ins.help' },
    omit: { position: true },
  });
  const [stored] = await clinic.ctx.db.signInHelp.findMany({ where: own(patient) });
  expect(entry).toMatchObject({ actorType: 'Practitioner', details: { way: 'phone', identity_check: stored?.id } });
  expect(JSON.stringify(entry)).not.toContain('Passport');
  const [row] = await clinic.ctx.db.$queryRaw<{ row: string }[]>`
    select h::text as row from sign_in_helps h where h.id = ${stored?.id}::uuid`;
  expect(row?.row).not.toContain(Buffer.from('Passport').toString('hex'));
  expect((await readSignIn(patient)).helps).toEqual([
    { id: stored?.id, at: stored?.createdAt.toISOString(), by: 'Rowan Example', way: 'phone', identity_check: CHECK },
  ]);
});

describe('rejects', () => {
  const error = (work: Promise<unknown>) => expect(work).rejects;

  test('every caller but staff, and a patient of another clinic', async () => {
    const patient = await people.byPhone();
    const { id } = { id: clinic.ctx.tenantId };
    const way = { phone_number: people.newNumber() };
    for (const ctx of [asApplication(bench.services, { id }), asPatient(bench.services, { id }, patient.user.user_id)])
      await error(help(patient, way, ctx)).toMatchObject({ code: 'forbidden' });
    const elsewhere = await bench.tenant();
    const other = asPractitioner(bench.services, { id: elsewhere.ctx.tenantId });
    await error(help(patient, way, other)).toMatchObject({ code: 'not_found' });
    expect(await clinic.ctx.db.signInHelp.count({ where: own(patient) })).toBe(0);
    expect((await people.as(patient, 'GET', '')).status).toBe(200);
  });

  test('an archived patient, one who never signed in, and an unconfirmed one', async () => {
    const archived = await people.byPhone();
    await archivePatient(clinic.ctx, { id: archived.user.user_id });
    const way = { phone_number: people.newNumber() };
    await error(help(archived, way)).toMatchObject({ code: 'patient_archived' });
    const { id } = await clinic.ctx.db.patient.create({ data: { id: newId(), tenantId: clinic.ctx.tenantId } });
    const silent = { user: { user_id: id } } as SignedIn;
    await error(help(silent, way)).toMatchObject({ code: 'conflict' });
    const email = people.newEmail();
    const signUp = { client_id: clinic.credentials, email, attempt: ATTEMPT, srp: register(PASSWORD) };
    expect((await bench.post('/credentials/sign_up', signUp)).status).toBe(202);
    const unconfirmed = await clinic.ctx.db.patient.findFirstOrThrow({ where: { email } });
    await error(help({ user: { user_id: unconfirmed.id } } as SignedIn, way)).toMatchObject({ code: 'conflict' });
  });

  test('an address of another patient, but not one of an unconfirmed sign-up', async () => {
    const [number, email, unconfirmed] = [people.newNumber(), people.newEmail(), people.newEmail()];
    await people.byPhone(number);
    await people.byEmail(email);
    const patient = await people.byPhone();
    await error(help(patient, { phone_number: number })).toMatchObject({ code: 'conflict' });
    await error(help(patient, { email })).toMatchObject({ code: 'email_taken' });
    expect((await people.as(patient, 'GET', '')).status).toBe(200);
    const signUp = { client_id: clinic.credentials, email: unconfirmed, attempt: ATTEMPT, srp: register(PASSWORD) };
    expect((await bench.post('/credentials/sign_up', signUp)).status).toBe(202);
    await help(patient, { email: unconfirmed });
    expect((await completeInvitation(unconfirmed)).body.user.user_id).toBe(patient.user.user_id);
  });

  test.each([
    ['without a check', { identity_check: 'no', email: 'ada@example.test' }],
    ['without an address', { identity_check: CHECK }],
    ['with two addresses', { identity_check: CHECK, email: 'ada@example.test', phone_number: '2025550123' }],
  ])('input %s', (_, input) => {
    expect(HelpSignInInput.safeParse({ patient_id: newId(), ...input }).success).toBe(false);
  });
});
