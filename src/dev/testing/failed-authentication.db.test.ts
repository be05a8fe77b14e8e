import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newLinkToken } from '#server/core/ids.ts';
import { createStaffUser } from '#server/identity/staff/create-staff-user.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { makeTarget, readOffer } from './sample-targets.ts';
import type { Target } from './samples/sample.ts';
import { signInPatient } from './signed-in.ts';
import { signInToPortal } from './staff-sign-in.ts';
import type { StoredEntry } from './stored-entries.ts';

const EMAIL = 'ada.admin@example.test';
const PASSWORD = 'correct horse battery';

let clinic: Sandbox;
let owner: pg.Client;
let application: { clientId: string; clientSecret: string };
let target: Target;
let staffId: string;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  owner = new pg.Client({ connectionString: clinic.database.ownerUrl });
  await owner.connect();
  application = await clinic.application(clinic.ctx);
  const token = await clinic.token(application);
  target = await makeTarget(clinic, token, await readOffer(clinic, token));
  const input = { email: EMAIL, name: 'Ada Admin', role: 'admin' as const, password: PASSWORD };
  staffId = (await createStaffUser(clinic.ctx, input)).id;
});
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

/** A failed attempt is logged asynchronously, so its entry may appear a moment after the response. */
const noted = (where: string, values: unknown[], atLeast = 1): Promise<StoredEntry[]> =>
  expect
    .poll(async () => (await owner.query<StoredEntry>(`select * from audit_entries where ${where}`, values)).rows, {
      timeout: 5_000,
    })
    .toSatisfy((rows: StoredEntry[]) => rows.length >= atLeast)
    .then(async () => (await owner.query<StoredEntry>(`select * from audit_entries where ${where}`, values)).rows);

const requestToken = (form: Record<string, string>) =>
  fetch(`${clinic.url}/identity/oauth2/token`, {
    method: 'POST',
    headers: { 'user-agent': 'curl/8.5.0' },
    body: new URLSearchParams(form),
  });

describe('failed authentication in the audit log', () => {
  test('a wrong client secret, and an issued token', async () => {
    const form = { grant_type: 'client_credentials', client_id: application.clientId };
    expect((await requestToken({ ...form, client_secret: 'wrong' })).status).toBe(401);
    const [wrong, ...more] = await noted(`action = 'applications.authenticate'`, []);
    expect(more).toEqual([]);
    expect(wrong).toMatchObject({
      object_type: 'Application',
      object_id: application.clientId,
      actor_type: 'Visitor',
      outcome: 'invalid_client',
      user_agent: 'curl',
    });
    expect(JSON.stringify(wrong)).not.toContain('wrong"');
    const issued = await requestToken({ ...form, client_secret: application.clientSecret });
    expect(issued.status).toBe(200);
    const [entry] = await noted(`action = 'tokens.issue' and request_id = $1`, [issued.headers.get('request-id')]);
    expect(entry).toMatchObject({ actor_type: 'Application', application_id: application.clientId, outcome: null });
  });

  test('a secret of an unknown client leaves no entry', async () => {
    const before = await owner.query('select count(*)::int as n from audit_entries');
    const form = { grant_type: 'client_credentials', client_id: target.patientId, client_secret: 'wrong' };
    expect((await requestToken(form)).status).toBe(401);
    expect((await owner.query('select count(*)::int as n from audit_entries')).rows).toEqual(before.rows);
  });

  test('a wrong and a correct portal password', async () => {
    const source = '192.0.2.44';
    expect(await signInToPortal(clinic.services, { email: EMAIL, password: 'wrong', source })).toHaveProperty('error');
    const failed = await noted(`action = 'account.sign_in' and outcome is not null`, []);
    expect(failed).toMatchObject([
      { object_id: staffId, outcome: 'invalid_credentials', actor_type: 'Visitor', address: source },
    ]);
    expect(await signInToPortal(clinic.services, { email: EMAIL, password: PASSWORD, source })).toHaveProperty(
      'cookie',
    );
    const begun = await noted(`action = 'account.sign_in' and outcome is null`, []);
    expect(begun).toMatchObject([{ actor_id: staffId, address: source }]);
  });

  test('a refreshed session', async () => {
    const { refresh_token, client_id } = await signedIn();
    const response = await requestToken({ grant_type: 'refresh_token', refresh_token, client_id });
    expect(response.status).toBe(200);
    const [entry] = await noted('request_id = $1', [response.headers.get('request-id')]);
    expect(entry).toMatchObject({
      action: 'sessions.refresh',
      actor_type: 'Patient',
      patient_id: target.patientId,
      application_id: client_id,
    });
  });
});

async function signedIn() {
  const { refresh_token, access_token } = await signInPatient(clinic.ctx, target.patientId);
  const claims = JSON.parse(Buffer.from(access_token.split('.')[1]!, 'base64url').toString());
  return { refresh_token, client_id: claims.client_id as string };
}

describe('opened links in the audit log', () => {
  const open = (name: string, body: object) =>
    fetch(`${clinic.url}/api/links/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('a visit link names the patient', async () => {
    const { videoToken } = await clinic.ctx.db.appointment.findFirstOrThrow({ where: { id: target.appointmentId } });
    const response = await open('visits.open', { token: videoToken });
    expect(response.status).toBe(200);
    expect(await noted('request_id = $1', [response.headers.get('request-id')])).toMatchObject([
      { action: 'visits.open', actor_type: 'Visitor', patient_id: target.patientId, outcome: null },
    ]);
  });

  test('an unknown link leaves no entry', async () => {
    const response = await open('visits.open', { token: newLinkToken(clinic.ctx.tenantId) });
    expect(response.status).toBe(404);
    const { rows } = await owner.query('select from audit_entries where request_id = $1', [
      response.headers.get('request-id'),
    ]);
    expect(rows).toEqual([]);
  });
});

test('a replayed response is logged as another read', async () => {
  const token = await clinic.token(application);
  const send = () =>
    clinic.rest.call({
      method: 'POST',
      path: '/patients',
      token,
      body: { first_name: 'Ada' },
      headers: { 'idempotency-key': 'the-same' },
    });
  const [first, second] = [await send(), await send()];
  expect(second.headers['idempotent-replayed']).toBe('true');
  expect(second.body.id).toBe(first.body.id);
  expect(await noted('request_id = $1', [second.headers['request-id']])).toMatchObject([
    { action: 'patients.create', patient_id: first.body.id, actor_type: 'Application', outcome: null },
  ]);
});
