import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asPractitioner } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { ATTEMPT, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, signedIn } from '#dev/testing/signed-in.ts';
import { MINUTE } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import { lockPatient } from '#server/patients/patient.ts';
import { createApplication } from '../../applications/router.ts';
import { inviteExisting } from '../invitation/invite-existing.ts';
import { invitePatient } from '../invitation/invite-patient.ts';

type Application = { client_id: string; client_secret: string };

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;
let helper: Application;

async function makeApplication(): Promise<Application> {
  const created = await createApplication(clinic.ctx, { name: 'Helper', scopes: ['patients:impersonate'] });
  return { client_id: created.application.client_id, client_secret: created.client_secret };
}
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic);
  helper = await makeApplication();
  await clinic.ctx.db.tenant.update({ where: { id: clinic.ctx.tenantId }, data: { invitesEnabled: true } });
});
afterAll(() => bench?.stop());

async function impersonate(subject_token: string, application = helper): Promise<{ access_token: string }> {
  const form = {
    ...application,
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token,
    subject_token_type: 'urn:carelane:params:oauth:token-type:patient-id',
  };
  const { body } = await bench.call('POST', '/identity/oauth2/token', undefined, { form });
  return body;
}
/** A patient created by an application, and an impersonation token for them. */
async function silent(values: { email?: string } = {}) {
  const id = newId();
  await clinic.ctx.db.patient.create({ data: { id, tenantId: clinic.ctx.tenantId, ...values } });
  return { id, ...(await impersonate(id)) };
}
const readEntries = async (patientId: string) => {
  const entries = await clinic.ctx.db.auditEntry.findMany({ where: { patientId }, orderBy: { id: 'asc' } });
  return entries.map(({ action, actorType, actorId, onBehalfOf }) => ({ action, actorType, actorId, onBehalfOf }));
};

describe('an application that acts for a patient who does not sign in', () => {
  test('may do all that the patient could, and each step is audited under both names', async () => {
    const [before, email, phone_number] = [people.newEmail(), people.newEmail(), people.newNumber()];
    const patient = await silent({ email: before });
    const as = (method: string, path: string, body?: object) => people.as(patient, method, path, body);
    expect((await as('GET', '')).body.email).toBe(before);
    expect((await as('PATCH', '/email', { email })).status).toBe(202);
    const changed = await as('POST', '/email/verify', { code: await bench.codeFor(email) });
    expect(changed.body).toMatchObject({ email, email_verified: true });
    expect((await as('PATCH', '/phone', { phone_number })).status).toBe(202);
    const moved = await as('POST', '/phone/verify', { code: await bench.codeFor(phone_number) });
    expect(moved.body).toMatchObject({ email, phone_number, phone_number_verified: true });
    expect((await as('POST', '/sign_out', {})).status).toBe(204);
    expect((await as('GET', '')).status).toBe(200);
    const author = { actorType: 'Application', actorId: helper.client_id, onBehalfOf: patient.id };
    const steps = (await readEntries(patient.id)).filter(({ onBehalfOf }) => onBehalfOf !== null);
    expect(steps).toEqual(
      [
        'users.get',
        'users.request_email_change',
        'patients.change_email',
        'users.request_phone_change',
        'patients.change_phone',
        'users.sign_out',
        'users.get',
      ].map((action) => ({ action, ...author })),
    );
    await bench.settled();
    const [notice] = await bench.messages(before);
    expect(notice?.text).toContain('this one is no longer used');
    expect(notice?.text).not.toContain('/undo#');
    expect(await clinic.ctx.db.patientSignIn.count({ where: { patientId: patient.id } })).toBe(0);
  });

  test('gets an error that there is no password', async () => {
    const patient = await silent();
    const body = { handshake: 'a.b', M1: 'ab'.repeat(32), srp: register('a quite long passphrase') };
    const response = await people.as(patient, 'PUT', '/password', body);
    expect(errorOf(response)).toEqual([403, 'forbidden']);
    expect(response.body.errors[0].detail).toContain('there is no password');
  });

  test('does not learn that another patient has the address; that patient is notified', async () => {
    const takenEmail = people.newEmail();
    await people.byEmail(takenEmail);
    const patient = await silent();
    bench.clock.pass(MINUTE);
    expect((await people.as(patient, 'PATCH', '/email', { email: takenEmail })).status).toBe(202);
    await bench.settled();
    expect((await bench.messages(takenEmail))[0]?.text).not.toMatch(/\d{6}/);
    const verified = await people.as(patient, 'POST', '/email/verify', { code: '123456' });
    expect(errorOf(verified)).toEqual([422, 'invalid_code']);
  });

  test('cannot change the number while the clinic invites it', async () => {
    const [number, ownNumber] = [people.newNumber(), people.newNumber()];
    const { tenantId, db } = clinic.ctx;
    const id = newId();
    const phones = { create: { id: newId(), number, primary: true } };
    await db.patient.create({ data: { id, tenantId, phoneNumber: number, phones } });
    const helping = await impersonate(id);
    await people.as(helping, 'PATCH', '/phone', { phone_number: ownNumber });
    const code = await bench.codeFor(ownNumber);
    const both = await db.$transaction(async (tx) => {
      await lockPatient(clinic.ctx, tx, id);
      const invited = inviteExisting(asPractitioner(bench.services, { id: tenantId }), { id });
      await new Promise((resolve) => setTimeout(resolve, 500));
      const verified = people.as(helping, 'POST', '/phone/verify', { code });
      await new Promise((resolve) => setTimeout(resolve, 500));
      return [invited, verified] as const;
    });
    expect((await both[0]).status).toBe('invited');
    expect(errorOf(await both[1])).toEqual([422, 'invalid_code']);
    expect((await db.patientSignIn.findFirstOrThrow({ where: { patientId: id } })).phoneNumber).toBe(number);
  });

  test('cannot use a code that another application requested', async () => {
    const patient = await silent();
    const email = people.newEmail();
    await people.as(patient, 'PATCH', '/email', { email });
    const code = await bench.codeFor(email);
    const other = await impersonate(patient.id, await makeApplication());
    expect(errorOf(await people.as(other, 'POST', '/email/verify', { code }))).toEqual([422, 'invalid_code']);
    expect((await people.as(patient, 'POST', '/email/verify', { code })).status).toBe(200);
  });

  test('repeats a step under its Idempotency-Key and gets the same response', async () => {
    const patient = await silent();
    const email = people.newEmail();
    await people.as(patient, 'PATCH', '/email', { email });
    const code = await bench.codeFor(email);
    const send = () =>
      bench.call(
        'POST',
        '/identity/user/email/verify',
        { code },
        {
          token: patient.access_token,
          headers: { 'idempotency-key': 'once' },
        },
      );
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
  });
});

describe('once the patient signs in, only they can change how:', () => {
  const CHANGES: [string, string, () => object][] = [
    ['PATCH', '/email', () => ({ email: people.newEmail() })],
    ['POST', '/email/verify', () => ({ code: '123456' })],
    ['PATCH', '/phone', () => ({ phone_number: people.newNumber() })],
    ['POST', '/phone/verify', () => ({ code: '123456' })],
    ['PUT', '/password', () => ({ handshake: 'a.b', M1: 'ab'.repeat(32), srp: register('a quite long passphrase') })],
  ];
  const invite = (values: object) =>
    invitePatient(asPractitioner(bench.services, { id: clinic.ctx.tenantId }), values).then(({ id }) => id);
  const KINDS: [string, () => Promise<string>][] = [
    ['signs in by text message', async () => (await people.byPhone()).user.user_id],
    ['signs in by password', async () => (await people.byEmail()).user.user_id],
    ['was invited by email', () => invite({ email: people.newEmail() })],
    ['was invited by phone', () => invite({ phone_number: people.newNumber() })],
    [
      'has yet to confirm',
      async () => {
        const email = people.newEmail();
        const srp = register('a quite long passphrase');
        await bench.post('/credentials/sign_up', { client_id: clinic.credentials, email, attempt: ATTEMPT, srp });
        return (await clinic.ctx.db.patient.findFirstOrThrow({ where: { email } })).id;
      },
    ],
  ];

  test.each(KINDS)('one who %s', async (_, make) => {
    const token = await impersonate(await make());
    // A known device would be a bypass if an impersonator could have one.
    const device = (await people.byPhone()).device;
    for (const [method, path, body] of CHANGES) {
      const requestBody = path === '/password' ? body() : { ...body(), device };
      expect(errorOf(await people.as(token, method, path, requestBody))).toEqual([403, 'forbidden']);
    }
    expect((await people.as(token, 'GET', '')).status).toBe(200);
  });

  test('also when the invitation is sent between the two steps of a change', async () => {
    const patient = await silent();
    const email = people.newEmail();
    await people.as(patient, 'PATCH', '/email', { email });
    const code = await bench.codeFor(email);
    const { db, tenantId } = clinic.ctx;
    await db.patientSignIn.create({ data: { tenantId, patientId: patient.id, phoneNumber: people.newNumber() } });
    expect(errorOf(await people.as(patient, 'POST', '/email/verify', { code }))).toEqual([403, 'forbidden']);
    expect((await people.as(patient, 'GET', '')).body.email).toBeNull();
  });
});
