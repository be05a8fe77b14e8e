import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PatientView } from '#contract/patients.ts';
import { asAdmin, asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT as attempt, prove, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf } from '#dev/testing/signed-in.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createPatient } from '#server/patients/create-patient.ts';
import { updatePatient } from '#server/patients/update-patient.ts';
import { createApplication } from '../../applications/router.ts';
import { inviteExisting } from './invite-existing.ts';
import { resendInvitation } from './resend-invitation.ts';

const OWN = 'another quite long passphrase';
const ATTACKER_PASSWORD = 'a password of an attacker';
const PASSWORD = /\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b/;

describe('inviting an existing patient', () => {
  let bench: SignInBench;
  let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
  let tenant: { id: string };
  let staff: Context;
  let app: Context;
  let count = 0;
  const newEmail = () => `ada${++count}@example.test`;
  const newNumber = () => `+1202555${String(100 + ++count).padStart(4, '0')}`;

  beforeAll(async () => {
    bench = withSignIn(await withClinic(SIGN_IN));
    clinic = await bench.tenant();
    tenant = { id: clinic.ctx.tenantId };
    staff = asPractitioner(bench.services, tenant);
    app = asApplication(bench.services, tenant, ['patients:write']);
  });
  beforeEach(() => clinic.ctx.db.tenant.update({ where: { id: tenant.id }, data: { invitesEnabled: true } }));
  afterAll(() => bench?.stop());

  const byApi = (input: object = {}): Promise<PatientView> => createPatient(app, { first_name: 'Ada', ...input });
  const from = { headers: { 'x-forwarded-for': '192.0.2.77' } };
  const passwordFor = async (email: string) => {
    await bench.settled();
    return (await bench.messages(email))[0]?.text.match(PASSWORD)?.[0] ?? '';
  };
  /** Each attempt uses another source, so that no wait after wrong passwords interferes. */
  const finish = async (email: string, password: string): Promise<TestResponse> => {
    const headers = { 'x-forwarded-for': `198.51.100.${++count}` };
    return bench.post(
      '/credentials/srp/finish',
      (await prove(bench, clinic.credentials, email, password, headers)).body,
      { headers },
    );
  };
  const complete = async (email: string, password: string): Promise<TestResponse> => {
    const proof = await prove(bench, clinic.credentials, email, password);
    const { body } = await bench.post('/credentials/srp/finish', proof.body);
    const srp = register(OWN, proof.started.body.identity);
    return bench.post('/credentials/complete_invitation', { continuation: body.continuation, srp });
  };
  const signUp = (email: string, password: string, attributes = {}) =>
    bench.post(
      '/credentials/sign_up',
      { client_id: clinic.credentials, email, attempt, srp: register(password), attributes },
      from,
    );

  test('a patient created by the API cannot sign in without an invitation, by any endpoint', async () => {
    const email = newEmail();
    const number = newNumber();
    const { id } = await byApi({ email, phone_number: number });
    const client_id = clinic.credentials;
    await signUp(email, OWN);
    await bench.post('/credentials/resend', { client_id, email }, from);
    bench.clock.pass(3_600_000);
    await bench.post('/credentials/reset', { client_id, email, attempt }, from);
    await bench.post('/passwordless/sign_in', { client_id: clinic.passwordless, phone_number: number }, from);
    await bench.settled();
    for (const to of [email, number])
      for (const { text } of await bench.messages(to)) expect(text).not.toMatch(/\b\d{6}\b/);
    expect(errorOf(await finish(email, OWN))).toEqual([401, 'invalid_credentials']);
    expect(await clinic.ctx.db.patientSignIn.count({ where: { patientId: id } })).toBe(0);
  });

  test('signs in with their own password afterwards and keeps the record', async () => {
    const email = newEmail();
    const created = await byApi({ email, birth_date: '1990-04-12', metadata: { kept: true } });
    const invited = await inviteExisting(app, { id: created.id });
    const { updated_at: _, ...rest } = created;
    expect(invited).toMatchObject({ ...rest, status: 'invited', can_sign_in: false });
    const password = await passwordFor(email);
    const [mail] = await bench.messages(email);
    expect(mail?.subject).toBe('Riverbend Clinic invites you');
    expect(mail?.text).toContain(`${bench.url}/invitation#care_sandbox_`);
    const response = await complete(email, password);
    expect(response.body.user).toMatchObject({ user_id: created.id, email_verified: true });
    const me = await bench.call('GET', '/api/v1/patients/me', undefined, { token: response.body.access_token });
    expect(me.body).toMatchObject({ status: 'active', can_sign_in: true, birth_date: '1990-04-12' });
    const events = await clinic.ctx.db.event.findMany({
      where: { patientId: created.id },
      orderBy: { position: 'asc' },
    });
    expect(events.map(({ eventTopic }) => eventTopic)).toEqual(['created', 'invited', 'confirmed']);
    expect(JSON.stringify(events.map(({ payload }) => payload))).not.toContain(password);
  });

  test('is invited by text where there is only a phone number', async () => {
    const number = newNumber();
    const { id } = await byApi({ phone_number: number });
    expect(await inviteExisting(staff, { id })).toMatchObject({ status: 'invited' });
    await bench.settled();
    expect((await bench.messages(number))[0]?.text).toContain('Sign in to its app with this phone number');
    const requested = await bench.post('/passwordless/sign_in', {
      client_id: clinic.passwordless,
      phone_number: number,
    });
    const code = await bench.codeFor(number);
    const response = await bench.post('/passwordless/complete', { challenge: requested.body.challenge, code });
    expect(response.body.user).toMatchObject({ user_id: id, phone_number_verified: true });
  });

  test('is invited again, and earlier messages stop working', async () => {
    const email = newEmail();
    const { id } = await byApi({ email });
    await inviteExisting(staff, { id });
    const first = await passwordFor(email);
    expect(await inviteExisting(app, { id })).toMatchObject({ id, status: 'invited' });
    const second = await passwordFor(email);
    expect(second).not.toBe(first);
    expect(errorOf(await finish(email, first))).toEqual([401, 'invalid_credentials']);
    expect((await complete(email, second)).status).toBe(200);
    const entries = await clinic.ctx.db.auditEntry.findMany({ where: { patientId: id }, orderBy: { position: 'asc' } });
    const actions = entries.map(({ action }) => action).filter((action) => action.includes('invit'));
    expect(actions).toEqual(['patients.invite', 'invitations.resend', 'patients.complete_invitation']);
  });

  test('a corrected number is the one that is invited again', async () => {
    const [wrong, right] = [newNumber(), newNumber()];
    const { id } = await byApi({ phone_number: wrong });
    await inviteExisting(staff, { id });
    await updatePatient(staff, { id, phones_attributes: [{ number: right, primary: true }] });
    await inviteExisting(staff, { id });
    await bench.settled();
    expect(await bench.messages(right)).toHaveLength(1);
    const { phoneNumber } = await clinic.ctx.db.patientSignIn.findFirstOrThrow({ where: { patientId: id } });
    expect(phoneNumber).toBe(right);
  });

  test('ends a sign-up by someone else with the address: neither its password nor its code works', async () => {
    const email = newEmail();
    await signUp(email, ATTACKER_PASSWORD, { first_name: 'Mallory' });
    const code = await bench.codeFor(email);
    const { id } = await clinic.ctx.db.patient.findFirstOrThrow({ where: { email } });
    await inviteExisting(staff, { id });
    const confirmed = await bench.post(
      '/credentials/confirm',
      { client_id: clinic.credentials, email, attempt, code },
      from,
    );
    expect(confirmed.status).toBe(422);
    expect(errorOf(await finish(email, ATTACKER_PASSWORD))).toEqual([401, 'invalid_credentials']);
    expect((await complete(email, await passwordFor(email))).body.user).toMatchObject({ user_id: id });
    expect(errorOf(await finish(email, ATTACKER_PASSWORD))).toEqual([401, 'invalid_credentials']);
  });

  test('rejects a patient who signs in, is archived, or has no address', async () => {
    const email = newEmail();
    const { id } = await byApi({ email });
    await inviteExisting(staff, { id });
    await complete(email, await passwordFor(email));
    await expect(inviteExisting(staff, { id })).rejects.toMatchObject({ code: 'conflict' });
    expect((await finish(email, OWN)).status).toBe(200);
    const archived = await byApi({ email: newEmail() });
    const archivedState = { status: 'archived', archivedAt: new Date() };
    await clinic.ctx.db.patient.update({ where: { id: archived.id }, data: archivedState });
    await expect(inviteExisting(app, { id: archived.id })).rejects.toMatchObject({ code: 'patient_archived' });
    const unreachable = await byApi();
    await expect(inviteExisting(app, { id: unreachable.id })).rejects.toMatchObject({ code: 'conflict' });
    const abroad = await byApi({ phone_number: '+442071838750' });
    await expect(inviteExisting(app, { id: abroad.id })).rejects.toMatchObject({ code: 'phone_number_not_supported' });
    await expect(inviteExisting(app, { id: newId() })).rejects.toMatchObject({ code: 'not_found' });
    const elsewhere = await bench.tenant();
    const otherTenant = asApplication(bench.services, { id: elsewhere.ctx.tenantId });
    await elsewhere.ctx.db.tenant.updateMany({ data: { invitesEnabled: true } });
    await expect(inviteExisting(otherTenant, { id: archived.id })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('takes no number that another patient signs in with', async () => {
    const number = newNumber();
    const first = await byApi({ phone_number: number });
    const second = await byApi({ phone_number: number });
    await inviteExisting(staff, { id: first.id });
    await expect(inviteExisting(staff, { id: second.id })).rejects.toMatchObject({ code: 'conflict' });
    const left = await clinic.ctx.db.patient.findUniqueOrThrow({ where: { id: second.id } });
    expect(left.status).toBe('active');
  });

  test('is for staff and applications with the scope, while the clinic has invitations turned on', async () => {
    const { id } = await byApi({ email: newEmail() });
    for (const ctx of [
      asApplication(bench.services, tenant, ['patients:read']),
      asPatient(bench.services, tenant, id),
      asPatient(bench.services, tenant, id, newId()),
    ])
      await expect(inviteExisting(ctx, { id })).rejects.toMatchObject({ code: 'forbidden' });
    await clinic.ctx.db.tenant.update({ where: { id: tenant.id }, data: { invitesEnabled: false } });
    for (const ctx of [staff, app, asAdmin(bench.services, tenant)])
      await expect(inviteExisting(ctx, { id })).rejects.toMatchObject({
        code: 'forbidden',
        faults: [{ detail: expect.stringContaining('an administrator can turn it on') }],
      });
    expect(await clinic.ctx.db.patientSignIn.count({ where: { patientId: id } })).toBe(0);
  });

  test('ten concurrent requests leave one invitation that works, and never two ways to sign in', async () => {
    const email = newEmail();
    const { id } = await byApi({ email });
    await Promise.all(Array.from({ length: 10 }, () => inviteExisting(app, { id })));
    await bench.settled();
    const mails = await bench.messages(email);
    expect(mails).toHaveLength(10);
    const statuses = [];
    for (const { text } of mails) statuses.push((await finish(email, text.match(PASSWORD)?.[0] ?? '')).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    await expect(resendInvitation(staff, { id })).resolves.toMatchObject({ status: 'invited' });
  });

  test('is a POST with the patient’s id, and a lost response is returned again', async () => {
    const email = newEmail();
    const { id } = await byApi({ email });
    const created = await createApplication(clinic.ctx, {
      name: 'Server',
      scopes: ['patients:write', 'patients:read'],
    });
    const { body } = await bench.call('POST', '/identity/oauth2/token', undefined, {
      form: {
        grant_type: 'client_credentials',
        client_id: created.application.client_id,
        client_secret: created.client_secret,
      },
    });
    const options = { token: body.access_token, headers: { 'idempotency-key': newId() } };
    const first = await bench.call('POST', `/api/v1/patients/${id}/invite`, undefined, options);
    const repeated = await bench.call('POST', `/api/v1/patients/${id}/invite`, undefined, options);
    expect([first.status, first.body.status, repeated.body]).toEqual([200, 'invited', first.body]);
    await bench.settled();
    expect(await bench.messages(email)).toHaveLength(1);
    const duplicate = await bench.call('POST', '/api/v1/patients/invite', { email }, { token: body.access_token });
    expect(errorOf(duplicate)).toEqual([409, 'email_taken']);
    expect(duplicate.body.errors[0].detail).toContain(`POST /patients/${id}/invite`);
  });
});
