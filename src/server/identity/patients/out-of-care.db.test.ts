import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asApplication, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, prove, register, signInWithPassword } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { newId } from '../../core/ids.ts';
import { unarchivePatient } from '../../patients/router.ts';
import { updatePatient } from '../../patients/update-patient.ts';
import { registrationColumns } from '../srp/verifier.ts';
import { getPatientSignIn } from './help/get-patient-sign-in.ts';
import { inviteExisting } from './invitation/invite-existing.ts';
import { issueInvitation, makeTemporaryPassword } from './invitation/issue-invitation.ts';
import { resendInvitation } from './invitation/resend-invitation.ts';

const PASSWORD = 'seven quiet rivers';
const registration = register(PASSWORD);

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let count = 0;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
});
afterAll(() => bench?.stop());

const codeOf = ({ status, body }: TestResponse) => [status, body?.errors?.[0].code];
const numberOf = () => `+1202555${String(1000 + ++count)}`;
const staff = () => asPractitioner(bench.services, { id: clinic.ctx.tenantId });

/** Creates a patient with a password and a number, who can sign in with both. */
async function patient(values: object = {}, signIn: object = {}) {
  const { db, tenantId } = clinic.ctx;
  const [id, phoneNumber] = [newId(), numberOf()];
  const email = `${id}@example.test`;
  await db.patient.create({
    data: { id, tenantId, email, phoneNumber, emailVerified: true, canSignIn: true, ...values },
  });
  const columns = registrationColumns(clinic.ctx, id, registration);
  const confirmedAt = new Date();
  await db.patientSignIn.create({ data: { tenantId, patientId: id, phoneNumber, ...columns, confirmedAt, ...signIn } });
  return { id, email, phoneNumber };
}
const LEAVE = {
  'whose care is ending': { careEndingAt: new Date() },
  'who is archived': { status: 'archived', archivedAt: new Date(), canSignIn: false },
};
/** Sets only the flag, so that no side effect of archiving causes the rejection. */
const leave = (id: string, how: keyof typeof LEAVE) =>
  clinic.ctx.db.patient.update({ where: { id }, data: LEAVE[how] });
const sessionsOf = (patientId: string) => clinic.ctx.db.patientSession.count({ where: { patientId } });
const byPassword = (email: string) => signInWithPassword(bench, clinic.credentials, email, PASSWORD);
const requestReset = (email: string) =>
  bench.post('/credentials/reset', { client_id: clinic.credentials, email, attempt: ATTEMPT });
const requestCode = (phone_number: string) =>
  bench.post('/passwordless/sign_in', { client_id: clinic.passwordless, phone_number });

test('a patient in care signs in either way, and gets a code by email', async () => {
  const { id, email, phoneNumber } = await patient();
  expect((await byPassword(email)).status).toBe(200);
  const { challenge } = (await requestCode(phoneNumber)).body;
  const code = await bench.codeFor(phoneNumber);
  expect((await bench.post('/passwordless/complete', { challenge, code })).status).toBe(200);
  expect((await requestReset(email)).status).toBe(202);
  expect(await bench.codeFor(email)).toMatch(/^\d{6}$/);
  expect(await sessionsOf(id)).toBe(2);
});

describe.each(Object.keys(LEAVE) as (keyof typeof LEAVE)[])('a patient %s', (how) => {
  test('cannot sign in by password, even with a proof started before', async () => {
    const { id, email } = await patient();
    const proof = await prove(bench, clinic.credentials, email, PASSWORD);
    await leave(id, how);
    expect(codeOf(await bench.post('/credentials/srp/finish', proof.body))).toEqual([401, 'invalid_credentials']);
    expect(codeOf(await byPassword(email))).toEqual([401, 'invalid_credentials']);
    expect(await sessionsOf(id)).toBe(0);
  });

  test('cannot sign in by text message, even with a code sent before', async () => {
    const { id, phoneNumber } = await patient();
    const { challenge } = (await requestCode(phoneNumber)).body;
    const code = await bench.codeFor(phoneNumber);
    await leave(id, how);
    expect(codeOf(await bench.post('/passwordless/complete', { challenge, code }))).toEqual([422, 'invalid_code']);
    bench.clock.pass(60_000);
    expect((await requestCode(phoneNumber)).status).toBe(200);
    await bench.settled();
    expect(await bench.messages(phoneNumber)).toHaveLength(1);
    expect(await sessionsOf(id)).toBe(0);
  });

  test('gets no code for a new password', async () => {
    const { id, email } = await patient();
    await leave(id, how);
    expect((await requestReset(email)).status).toBe(202);
    await bench.settled();
    const mails = await bench.messages(email);
    expect(mails.map(({ text }) => /\b\d{6}\b/.test(text))).toEqual([false]);
  });

  test('cannot sign in by an invitation, and gets no other', async () => {
    const { id, email } = await patient({ status: 'invited', canSignIn: false }, { confirmedAt: null });
    const temporary = await makeTemporaryPassword(bench.services);
    await clinic.ctx.db.$transaction((tx) =>
      issueInvitation(tx, clinic.ctx, { patientId: id, email, url: bench.url, temporary }),
    );
    const proof = await prove(bench, clinic.credentials, email, temporary.password);
    const { continuation } = (await bench.post('/credentials/srp/finish', proof.body)).body;
    await leave(id, how);
    const srp = register('eight louder rivers', proof.started.body.identity);
    const response = await bench.post('/credentials/complete_invitation', { continuation, srp });
    expect(codeOf(response)).toEqual([409, 'expired_handshake']);
    await expect(resendInvitation(staff(), { id })).rejects.toMatchObject({ name: 'CarelaneError' });
    await bench.settled();
    const sent = (await bench.messages(email)).length;
    bench.clock.pass(60_000);
    const resent = await bench.post('/credentials/resend', { client_id: clinic.credentials, email, attempt: ATTEMPT });
    expect(resent.status).toBe(202);
    await bench.settled();
    const [newest, ...others] = await bench.messages(email);
    expect(others).toHaveLength(sent);
    expect(newest!.text).not.toMatch(/[a-z2-9]{4}-[a-z2-9]{4}-/);
    expect(await sessionsOf(id)).toBe(0);
  });
});

describe('an unarchived patient', () => {
  test('has no credentials left: no password, no number, and no way to create one', async () => {
    const { id, email, phoneNumber } = await patient();
    expect((await byPassword(email)).status).toBe(200);
    await leave(id, 'who is archived');
    const view = await unarchivePatient(staff(), { id });
    expect(view).toMatchObject({ status: 'active', can_sign_in: false, archived_at: null, email });
    expect(codeOf(await byPassword(email))).toEqual([401, 'invalid_credentials']);
    expect((await requestCode(phoneNumber)).status).toBe(200);
    expect((await requestReset(email)).status).toBe(202);
    await bench.settled();
    expect(await bench.messages(phoneNumber)).toEqual([]);
    expect((await bench.messages(email)).every(({ text }) => !/\b\d{6}\b/.test(text))).toBe(true);
    expect(await getPatientSignIn(staff(), { patient_id: id })).toMatchObject({ ways: [], sessions: [] });
  });

  test('has no session again, even if one was left open at archiving', async () => {
    const { id, email } = await patient();
    const { body } = await byPassword(email);
    await leave(id, 'who is archived');
    await unarchivePatient(staff(), { id });
    const me = async () =>
      (await bench.call('GET', '/api/v1/patients/me', undefined, { token: body.access_token })).status;
    await expect.poll(me, { timeout: 3000 }).toBe(401);
    expect((await bench.refresh(clinic.credentials, body.refresh_token)).status).toBe(400);
    const { earlier } = await getPatientSignIn(staff(), { patient_id: id });
    expect(earlier.map(({ end_reason }) => end_reason)).toEqual(['archived']);
  });

  test('is invited by staff only: an application could change the address and be invited itself', async () => {
    const tenant = { id: clinic.ctx.tenantId };
    await clinic.ctx.db.tenant.update({ where: { id: tenant.id }, data: { invitesEnabled: true } });
    const app = asApplication(bench.services, tenant, ['patients:write']);
    const others = `${newId()}@example.test`;
    const { id } = await patient();
    await leave(id, 'who is archived');
    await unarchivePatient(app, { id });
    await updatePatient(app, { id, email: others });
    await expect(inviteExisting(app, { id })).rejects.toMatchObject({ faults: [{ code: 'forbidden' }] });
    await bench.settled();
    expect(await bench.messages(others)).toEqual([]);
    expect((await inviteExisting(staff(), { id })).status).toBe('invited');
  });

  test('may be invited by an application if they never signed in', async () => {
    const app = asApplication(bench.services, { id: clinic.ctx.tenantId }, ['patients:write']);
    const { id } = await patient({}, { confirmedAt: null });
    await leave(id, 'who is archived');
    await unarchivePatient(app, { id });
    expect((await inviteExisting(app, { id })).status).toBe('invited');
  });
});
