import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestedEmailView } from '#contract/address-changes.ts';
import { asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { addressChanges } from '#dev/testing/address-changes.ts';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createPatient } from '#server/patients/create-patient.ts';
import { getPatientSignIn } from '../help/get-patient-sign-in.ts';
import { helpSignIn } from '../help/help-sign-in.ts';
import { requestEmailChange, withdrawEmailChange } from './request-email-change.ts';

const CHECK = 'Passport with photograph, seen at the front desk';
let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;
let moved: ReturnType<typeof addressChanges>;
let staff: Context;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic, 'mo');
  moved = addressChanges(bench, people);
  staff = asPractitioner(bench.services, { id: clinic.ctx.tenantId });
});
afterAll(() => bench?.stop());

const requestChange = (patient: SignedIn, email: string, ctx = staff) =>
  requestEmailChange(ctx, { patient_id: patient.user.user_id, email, identity_check: CHECK });
const newestText = async (address: string) => {
  await bench.settled();
  return (await bench.messages(address))[0]?.text ?? '';
};
const tokenFor = async (email: string) => (await newestText(email)).match(/\/confirm-email#(\S+)/)?.[1] ?? '';
type LinkResponse = { status: number; body: RequestedEmailView };
const open = (token: string): Promise<LinkResponse> =>
  bench.call('POST', '/api/links/addressChanges.openAsked', { token });
const confirm = (token: string): Promise<LinkResponse> =>
  bench.call('POST', '/api/links/addressChanges.confirmAsked', { token });
const row = (patient: SignedIn) => clinic.ctx.db.patient.findFirstOrThrow({ where: { id: patient.user.user_id } });
const readSignIn = (patient: SignedIn) => getPatientSignIn(staff, { patient_id: patient.user.user_id });

describe('a new email address requested by staff', () => {
  test('takes effect once its link is opened; sessions stay, and the old address can undo it', async () => {
    const [before, after] = [people.newEmail(), people.newEmail()];
    const patient = await people.byEmail(before);
    await requestChange(patient, after);
    expect(await row(patient)).toMatchObject({ email: before });
    expect(await readSignIn(patient)).toMatchObject({
      asked_email: { email: after },
      helps: [{ identity_check: CHECK }],
    });
    const token = await tokenFor(after);
    expect((await open(token)).body).toMatchObject({ clinic: 'Riverbend Clinic', state: 'valid' });
    expect((await open(token)).body.address).not.toBe(after);
    expect(await row(patient)).toMatchObject({ email: before });

    expect((await confirm(token)).body.state).toBe('confirmed');
    expect(await row(patient)).toMatchObject({ email: after, emailVerified: true, canSignIn: true });
    expect((await people.as(patient, 'GET', '')).body).toMatchObject({ email: after });
    expect((await people.signIn(after)).status).toBe(200);
    expect(await readSignIn(patient)).toMatchObject({ asked_email: null });
    expect((await confirm(token)).body.state).toBe('confirmed');
    const changes = { patientId: patient.user.user_id, action: 'patients.change_email' };
    expect(await clinic.ctx.db.auditEntry.count({ where: changes })).toBe(1);

    expect((await moved.undo(await moved.linkTo(before))).body).toMatchObject({ state: 'undone', restored: true });
    expect(await row(patient)).toMatchObject({ email: before });
  });

  test('is stored encrypted, and its link is not stored', async () => {
    const patient = await people.byEmail();
    const after = people.newEmail();
    await requestChange(patient, after);
    const stored = await clinic.ctx.db.askedEmailChange.findFirstOrThrow({
      where: { patientId: patient.user.user_id },
    });
    expect(Buffer.from(stored.email).toString('latin1')).not.toContain(after);
    expect(JSON.stringify(stored)).not.toContain((await tokenFor(after)).split('.')[1]);
  });

  test('is ended by a newer request, the patient’s own change, sign-in help and a withdrawal', async () => {
    const ends: ((patient: SignedIn) => Promise<unknown>)[] = [
      (patient) => requestChange(patient, people.newEmail()),
      (patient) => moved.move(patient, people.newEmail()),
      (patient) =>
        helpSignIn(staff, { patient_id: patient.user.user_id, identity_check: CHECK, email: people.newEmail() }),
      (patient) => withdrawEmailChange(staff, { patient_id: patient.user.user_id }),
      (patient) => archivePatient(staff, { id: patient.user.user_id }),
    ];
    for (const end of ends) {
      const patient = await people.byEmail();
      const after = people.newEmail();
      await requestChange(patient, after);
      const token = await tokenFor(after);
      await end(patient);
      expect(errorOf((await confirm(token)) as never)).toEqual([404, 'not_found']);
      expect((await row(patient)).email).not.toBe(after);
    }
  });

  test('expires after a day, and when another patient has taken the address', async () => {
    const [late, lost] = [await people.byEmail(), await people.byEmail()];
    const [first, second] = [people.newEmail(), people.newEmail()];
    await requestChange(late, first);
    await requestChange(lost, second);
    const tokens = [await tokenFor(first), await tokenFor(second)];
    await createPatient(staff, { email: second });
    expect((await confirm(tokens[1]!)).body.state).toBe('over');
    bench.clock.pass(DAY);
    expect((await confirm(tokens[0]!)).body.state).toBe('over');
    expect((await row(late)).email).not.toBe(first);
    expect((await row(lost)).email).not.toBe(second);
    expect(await readSignIn(late)).toMatchObject({ asked_email: null });
  });

  test('is rejected for a patient who does not sign in, a taken address and one that is theirs already', async () => {
    const patient = await people.byEmail();
    const { id } = await createPatient(staff, { email: people.newEmail() });
    const takenEmail = people.newEmail();
    await createPatient(staff, { email: takenEmail });
    const expectRejection = (input: Promise<unknown>) =>
      expect(input).rejects.toMatchObject({ code: expect.any(String) });
    await expectRejection(
      requestEmailChange(staff, { patient_id: id, email: people.newEmail(), identity_check: CHECK }),
    );
    await expect(requestChange(patient, takenEmail)).rejects.toMatchObject({ code: 'email_taken' });
    await expect(requestChange(patient, (await row(patient)).email!)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('can be requested by staff only', async () => {
    const patient = await people.byEmail();
    const tenant = { id: clinic.ctx.tenantId };
    for (const ctx of [
      asApplication(bench.services, tenant),
      asPatient(bench.services, tenant, patient.user.user_id),
    ]) {
      await expect(requestChange(patient, people.newEmail(), ctx)).rejects.toMatchObject({ code: 'forbidden' });
      await expect(withdrawEmailChange(ctx, { patient_id: patient.user.user_id })).rejects.toMatchObject({
        code: 'forbidden',
      });
    }
    const elsewhere = asPractitioner(bench.services, { id: (await bench.tenant()).ctx.tenantId }, newId());
    await expect(requestChange(patient, people.newEmail(), elsewhere)).rejects.toMatchObject({ code: 'not_found' });
  });
});
