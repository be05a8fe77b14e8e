import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asAdmin, asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { newAttempt, prove, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf } from '#dev/testing/signed-in.ts';
import { DAY, HOUR, MINUTE } from '#server/core/clock.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { failureKeys } from '../../verification/failures.ts';
import { personKey } from '../../verification/person.ts';
import { invitePatient } from './invite-patient.ts';
import { openInvitationLink } from './open-invitation-link.ts';
import { resendInvitation } from './resend-invitation.ts';
import { setInvites } from './set-invites.ts';

const OWN = 'another quite long passphrase';
const PASSWORD = /\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b/;

describe('inviting patients', () => {
  let bench: SignInBench;
  let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
  let staff: Context;
  let tenant: { id: string };
  let count = 0;
  const newEmail = () => `ada${++count}@example.test`;

  beforeAll(async () => {
    bench = withSignIn(await withClinic(SIGN_IN));
    clinic = await bench.tenant();
    tenant = { id: clinic.ctx.tenantId };
    staff = asPractitioner(bench.services, tenant);
  });
  beforeEach(() => clinic.ctx.db.tenant.update({ where: { id: tenant.id }, data: { invitesEnabled: true } }));
  afterAll(() => bench?.stop());

  const mailTo = async (email: string) => {
    await bench.settled();
    const [mail] = await bench.messages(email);
    return { mail, password: mail?.text.match(PASSWORD)?.[0] ?? '' };
  };
  const invite = async (email = newEmail()) => {
    const patient = await invitePatient(staff, { email, first_name: 'Ada' });
    return { email, id: patient.id, patient, ...(await mailTo(email)) };
  };
  const finish = async (email: string, password: string): Promise<TestResponse> =>
    bench.post('/credentials/srp/finish', (await prove(bench, clinic.credentials, email, password)).body);
  const complete = async (email: string, password: string): Promise<TestResponse> => {
    const proof = await prove(bench, clinic.credentials, email, password);
    const { body } = await bench.post('/credentials/srp/finish', proof.body);
    const srp = register(OWN, proof.started.body.identity);
    return bench.post('/credentials/complete_invitation', { continuation: body.continuation, srp });
  };
  const resend = (email: string) =>
    bench.post(
      '/credentials/resend',
      { client_id: clinic.credentials, email },
      { headers: { 'x-forwarded-for': `192.0.2.${++count}` } },
    );

  test('the link identifies the invitation to the page without personal data, until it is completed', async () => {
    const { email, mail, password } = await invite();
    const [, fragment = ''] = /\/invitation#(\S+)/.exec(mail?.text ?? '') ?? [];
    const [, token = ''] = fragment.split('~');
    expect(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain(email);
    const visitor = (tenantId: string) => contextFor(bench.services, { kind: 'visitor', tenantId });
    const open = (linkToken: string, tenantId = tenant.id) =>
      openInvitationLink(visitor(tenantId), { token: linkToken });
    expect(await open(token)).toEqual({ clinic: 'Riverbend Clinic', email });
    const over = { code: 'expired_code' };
    const otherTenantId = (await bench.tenant()).ctx.tenantId;
    const forged = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
    await expect(open(forged)).rejects.toMatchObject(over);
    await expect(open(token, otherTenantId)).rejects.toMatchObject(over);
    await expect(open('x.y')).rejects.toMatchObject(over);
    await complete(email, password);
    await expect(open(token)).rejects.toMatchObject(over);
  });

  test('creates a patient, mails link and password, and ends in a session with the patient’s own password', async () => {
    const { email, id, patient, mail, password } = await invite();
    expect(patient).toMatchObject({ status: 'invited', can_sign_in: false, email });
    expect(mail?.subject).toBe('Riverbend Clinic invites you');
    expect(mail?.text).toContain(`${bench.url}/invitation#care_sandbox_`);
    expect(mail?.text).not.toContain(`#${password}`);
    expect(password).toMatch(PASSWORD);
    const response = await complete(email, password);
    expect(response.status).toBe(200);
    expect(response.body.user).toMatchObject({ user_id: id, email, email_verified: true });
    const me = await bench.call('GET', '/api/v1/patients/me', undefined, { token: response.body.access_token });
    expect(me.body).toMatchObject({ status: 'active', can_sign_in: true });
    expect(errorOf(await finish(email, password))).toEqual([401, 'invalid_credentials']);
    const events = await clinic.ctx.db.event.findMany({ where: { patientId: id } });
    expect(events.map(({ eventTopic }) => eventTopic)).toEqual(['invited', 'confirmed']);
    expect(JSON.stringify(events.map(({ payload }) => payload))).not.toContain(password);
  });

  test('is off until an admin turns it on', async () => {
    const admin = asAdmin(bench.services, tenant);
    await setInvites(admin, { enabled: false });
    const email = newEmail();
    await expect(invitePatient(staff, { email })).rejects.toMatchObject({ code: 'forbidden' });
    expect(await clinic.ctx.db.patient.count({ where: { email } })).toBe(0);
    for (const ctx of [staff, asApplication(bench.services, tenant, ['patients:write'])])
      await expect(setInvites(ctx, { enabled: true })).rejects.toMatchObject({ code: 'forbidden' });
    await setInvites(admin, { enabled: true });
    expect(await invitePatient(staff, { email })).toMatchObject({ email });
  });

  test('rejects patients and applications without the scope', async () => {
    const email = newEmail();
    for (const ctx of [
      asApplication(bench.services, tenant, ['patients:read']),
      asPatient(bench.services, tenant, newId(), newId()),
    ])
      await expect(invitePatient(ctx, { email })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(resendInvitation(asApplication(bench.services, tenant), { id: newId() })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  test('rejects a taken address and a missing one', async () => {
    const { email } = await invite();
    await expect(invitePatient(staff, { email })).rejects.toMatchObject({ code: 'email_taken' });
    await expect(invitePatient(staff, { first_name: 'Ada' })).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  test('invites a phone number by text, once, and only an ordinary one', async () => {
    const number = '+12025550171';
    const patient = await invitePatient(staff, { phone_number: number });
    expect(patient).toMatchObject({ status: 'invited', phone_number: number });
    await bench.settled();
    expect((await bench.messages(number))[0]?.text).toContain('Sign in to its app with this phone number');
    await expect(invitePatient(staff, { phone_number: number })).rejects.toMatchObject({ code: 'conflict' });
    await expect(invitePatient(staff, { phone_number: '+19005550199' })).rejects.toMatchObject({
      code: 'phone_number_not_supported',
    });
    const requested = await bench.post('/passwordless/sign_in', {
      client_id: clinic.passwordless,
      phone_number: number,
    });
    const code = await bench.codeFor(number);
    const response = await bench.post('/passwordless/complete', { challenge: requested.body.challenge, code });
    expect(response.body.user).toMatchObject({ user_id: patient.id, phone_number_verified: true });
  });

  test('reports an expired invitation, and the patient requests another from the page', async () => {
    const { email, password } = await invite();
    bench.clock.pass(8 * DAY);
    expect(errorOf(await finish(email, password))).toEqual([403, 'invitation_expired']);
    const resent = await resend(email);
    const unknown = await resend(newEmail());
    expect([resent.status, resent.body]).toEqual([unknown.status, unknown.body]);
    const next = (await mailTo(email)).password;
    expect(next).not.toBe(password);
    expect(errorOf(await finish(email, password))).toEqual([401, 'invalid_credentials']);
    expect((await complete(email, next)).status).toBe(200);
  });

  test('a request for another live invitation mails the same one and revokes nothing', async () => {
    const { email, id, password } = await invite();
    const { temporaryUntil } = await clinic.ctx.db.patientSignIn.findFirstOrThrow({ where: { patientId: id } });
    bench.clock.pass(MINUTE);
    expect((await resend(email)).status).toBe(202);
    const resent = await mailTo(email);
    expect(resent.password).toBe(password);
    expect(resent.mail?.text).toContain('It was asked for again with');
    bench.clock.pass(3 * DAY);
    expect((await resend(email)).status).toBe(202);
    const row = () => clinic.ctx.db.patientSignIn.findFirstOrThrow({ where: { patientId: id } });
    expect((await row()).temporaryUntil).toEqual(temporaryUntil);
    expect((await complete(email, (await mailTo(email)).password)).status).toBe(200);
    expect((await row()).invitation).toBeNull();
    bench.clock.pass(MINUTE);
    await resend(email);
    expect((await mailTo(email)).mail?.text).not.toMatch(PASSWORD);
    expect(errorOf(await finish(email, password))).toEqual([401, 'invalid_credentials']);
  });

  test('a started completion continues when someone requests another invitation', async () => {
    const { email, password } = await invite();
    const proof = await prove(bench, clinic.credentials, email, password);
    const { continuation } = (await bench.post('/credentials/srp/finish', proof.body)).body;
    bench.clock.pass(MINUTE);
    await resend(email);
    const srp = register(OWN, proof.started.body.identity);
    expect((await bench.post('/credentials/complete_invitation', { continuation, srp })).status).toBe(200);
  });

  test('sign-up and reset by someone else leave an invitation and its record unchanged', async () => {
    const { email, id, password } = await invite();
    const attacker = { client_id: clinic.credentials, email, attempt: newAttempt() };
    const up = { ...attacker, srp: register('an attacker’s password'), attributes: { first_name: 'Mallory' } };
    // Each from another network, so that no limit per source interferes.
    for (const [path, body, ip] of [
      ['sign_up', up, '198.51.100.1'],
      ['resend', attacker, '198.51.100.2'],
      ['reset', attacker, '198.51.100.3'],
    ] as const) {
      bench.clock.pass(HOUR);
      const headers = { 'x-forwarded-for': ip };
      expect((await bench.post(`/credentials/${path}`, body, { headers })).status).toBe(202);
    }
    expect((await complete(email, password)).status).toBe(200);
    expect(await clinic.ctx.db.patient.findFirst({ where: { id } })).toMatchObject({ firstName: 'Ada' });
    expect(errorOf(await finish(email, 'an attacker’s password'))).toEqual([401, 'invalid_credentials']);
  });

  test('ends a lockout that was caused before the address had an account', async () => {
    const email = newEmail();
    const { unknownDevicesInRow: key } = failureKeys(clinic.ctx, personKey(clinic.ctx, email), {
      ip: '',
      device: null,
    });
    const now = bench.clock.now();
    const closed = { failures: 100, inRow: true, failedAt: now, closedAt: now, toldAt: now };
    await clinic.ctx.db.signInFailure.create({ data: { tenantId: tenant.id, key, ...closed } });
    const start = { client_id: clinic.credentials, email, A: register(OWN).verifier };
    expect(errorOf(await bench.post('/credentials/srp/start', start))).toEqual([403, 'sign_in_closed']);
    await invitePatient(staff, { email });
    const { password } = await mailTo(email);
    expect((await complete(email, password)).status).toBe(200);
  });

  test('staff send it again while it is pending, and not after', async () => {
    const { id, email, password } = await invite();
    expect(await resendInvitation(staff, { id })).toMatchObject({ id, status: 'invited' });
    const next = (await mailTo(email)).password;
    expect(next).not.toBe(password);
    expect((await complete(email, next)).status).toBe(200);
    await expect(resendInvitation(staff, { id })).rejects.toMatchObject({ code: 'conflict' });
    await expect(resendInvitation(staff, { id: newId() })).rejects.toMatchObject({ code: 'not_found' });
  });
});
