import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { fixedClock } from '#dev/testing/fixed-clock.ts';
import { newId } from '../core/ids.ts';
import { createApplication, listApplications, rotateApplicationSecret } from '../identity/applications/router.ts';
import { authenticateClient } from '../identity/oauth/authenticate-client.ts';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const BY_EMAIL = 'urn:carelane:params:oauth:token-type:patient-email';
const BY_ID = 'urn:carelane:params:oauth:token-type:patient-id';

describe('the token endpoint', () => {
  let clinic: Clinic<'http'>;
  let tenantId: string;
  let full: { id: string; secret: string };
  let reader: { id: string; secret: string };
  const patient = { live: newId(), archived: newId(), otherTenant: newId() };

  beforeAll(async () => {
    clinic = await withClinic({ http: true, overrides: { clock: fixedClock() } });
    const { services, tenant } = clinic;
    const other = await makeTenant(services);
    tenantId = tenant.id;
    const make = async (scopes: ('patients:read' | 'patients:impersonate')[]) => {
      const created = await createApplication(asAdmin(services, tenant), { name: 'Example', scopes });
      return { id: created.application.id, secret: created.client_secret };
    };
    full = await make(['patients:read', 'patients:impersonate']);
    reader = await make(['patients:read']);
    const patients = (id: string) => services.database.forTenant(id).patient;
    await patients(tenantId).create({ data: { id: patient.live, tenantId, email: 'ada@example.test' } });
    await patients(tenantId).create({
      data: { id: patient.archived, tenantId, email: 'gone@example.test', status: 'archived', archivedAt: new Date() },
    });
    await patients(other.id).create({
      data: { id: patient.otherTenant, tenantId: other.id, email: 'bob@example.test' },
    });
  });
  afterAll(() => clinic?.stop());

  const post = async (body: BodyInit, headers: Record<string, string> = {}) => {
    const response = await fetch(`${clinic.url}/identity/oauth2/token`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const form = (values: Record<string, string>) => new URLSearchParams(values).toString();
  const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });
  const asFull = () => ({ client_id: full.id, client_secret: full.secret });
  const grant = { grant_type: 'client_credentials' };
  const exchange = (more: Record<string, string> = {}) => ({
    grant_type: EXCHANGE,
    subject_token: patient.live,
    subject_token_type: BY_ID,
    ...more,
  });

  test('returns success and errors with no-store and a Request-Id', async () => {
    for (const response of [await post(form({ ...grant, ...asFull() })), await post(form(grant))]) {
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('pragma')).toBe('no-cache');
      expect(response.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('accepts form-encoded Basic credentials and ignores unknown parameters', async () => {
    const encoded = full.secret.replaceAll('_', '%5F');
    const response = await post(form({ ...grant, unknown: 'ignored' }), basic(full.id, encoded));
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
  });

  test('returns the same error for an unknown client and a wrong secret', async () => {
    const wrong = await post(form({ ...grant, client_id: full.id, client_secret: 'cs_wrong' }));
    const unknown = await post(form({ ...grant, client_id: newId(), client_secret: 'cs_wrong' }));
    const misshapen = await post(form({ ...grant, client_id: 'unknown', client_secret: 'cs_wrong' }));
    for (const { status, body, headers } of [wrong, unknown, misshapen]) {
      expect(status).toBe(401);
      expect(body).toEqual(wrong.body);
      expect(body.error).toBe('invalid_client');
      expect(headers.get('www-authenticate')).toBeNull();
    }
  });

  test('challenges only a client that used the Authorization header (RFC 6749 §5.2)', async () => {
    const byHeader = await post(form(grant), basic(full.id, 'cs_wrong'));
    expect([byHeader.status, byHeader.body.error]).toEqual([401, 'invalid_client']);
    expect(byHeader.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    const withNothing = await post(form(grant));
    expect([withNothing.status, withNothing.body.error]).toEqual([401, 'invalid_client']);
    expect(withNothing.headers.get('www-authenticate')).toBeNull();
  });

  const errors: [string, () => [string, Record<string, string>?], number, string][] = [
    ['no grant type', () => [form(asFull())], 400, 'invalid_request'],
    ['no client', () => [form(grant)], 401, 'invalid_client'],
    ['an unsupported grant type', () => [form({ ...asFull(), grant_type: 'password' })], 400, 'unsupported_grant_type'],
    ['a grant type given twice', () => [`${form({ ...grant, ...asFull() })}&${form(grant)}`], 400, 'invalid_request'],
    [
      'Basic and post at once',
      () => [form({ ...grant, ...asFull() }), basic(full.id, full.secret)],
      400,
      'invalid_request',
    ],
    [
      'two client ids',
      () => [form({ ...grant, client_id: reader.id }), basic(full.id, full.secret)],
      400,
      'invalid_request',
    ],
    ['a bearer for Basic', () => [form(grant), { authorization: 'Bearer x' }], 401, 'invalid_client'],
    ['Basic that is not base64', () => [form(grant), { authorization: 'Basic %%%' }], 401, 'invalid_client'],
    ['Basic without a colon', () => [form(grant), { authorization: `Basic ${btoa('half')}` }], 401, 'invalid_client'],
    ['Basic with a broken escape', () => [form(grant), basic(full.id, '%zz')], 401, 'invalid_client'],
    ['an unknown scope', () => [form({ ...grant, ...asFull(), scope: 'everything' })], 400, 'invalid_scope'],
    ['a scope that the client lacks', () => [form({ ...grant, ...asFull(), scope: 'admin' })], 400, 'invalid_scope'],
    ['a NUL character', () => [`${form({ ...grant, ...asFull() })}&scope=a%00b`], 400, 'invalid_request'],
    ['JSON', () => [JSON.stringify(grant), { 'content-type': 'application/json' }], 400, 'invalid_request'],
    ['a body of 65 KiB', () => [`pad=${'x'.repeat(65 * 1024)}`], 413, 'invalid_request'],
    ['exchange without subject', () => [form({ ...asFull(), grant_type: EXCHANGE })], 400, 'invalid_request'],
    [
      'exchange of another type',
      () => [form({ ...asFull(), ...exchange({ subject_token_type: 'x' }) })],
      400,
      'invalid_request',
    ],
    ['an invalid id', () => [form({ ...asFull(), ...exchange({ subject_token: 'x' }) })], 400, 'invalid_request'],
    [
      'an unknown patient',
      () => [form({ ...asFull(), ...exchange({ subject_token: newId() }) })],
      400,
      'invalid_request',
    ],
    [
      'a patient of another tenant',
      () => [form({ ...asFull(), ...exchange({ subject_token: patient.otherTenant }) })],
      400,
      'invalid_request',
    ],
    [
      'an email of another tenant',
      () => [form({ ...asFull(), ...exchange({ subject_token: 'bob@example.test', subject_token_type: BY_EMAIL }) })],
      400,
      'invalid_request',
    ],
    [
      'an archived patient',
      () => [form({ ...asFull(), ...exchange({ subject_token: patient.archived }) })],
      400,
      'invalid_request',
    ],
    ['an actor token', () => [form({ ...asFull(), ...exchange({ actor_token: 'x' }) })], 400, 'invalid_request'],
    [
      'another audience',
      () => [form({ ...asFull(), ...exchange({ audience: 'https://example.test' }) })],
      400,
      'invalid_target',
    ],
    [
      'another requested type',
      () => [form({ ...asFull(), ...exchange({ requested_token_type: 'x' }) })],
      400,
      'invalid_request',
    ],
    ['a scope for a patient', () => [form({ ...asFull(), ...exchange({ scope: 'admin' }) })], 400, 'invalid_scope'],
    [
      'impersonation without its scope',
      () => [form({ client_id: reader.id, client_secret: reader.secret, ...exchange() })],
      400,
      'unauthorized_client',
    ],
  ];
  for (const [what, request, status, error] of errors)
    test(`rejects ${what}: ${error}`, async () => {
      const [sent, headers] = request();
      const response = await post(sent, headers);
      expect(response.status).toBe(status);
      expect(response.body).toEqual({
        error,
        error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/),
      });
      if (headers?.authorization && status === 401) expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
    });

  test('rejects credentials in the URL, invalid UTF-8 and other methods', async () => {
    const url = `${clinic.url}/identity/oauth2/token`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const inQuery = await fetch(`${url}?${form({ ...grant, ...asFull() })}`, { method: 'POST', headers });
    expect(inQuery.status).toBe(400);
    expect((await post(new Uint8Array([0xff, 0xfe, 0x3d]))).body.error).toBe('invalid_request');
    const get = await fetch(url);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await fetch(`${clinic.url}/identity/nothing`)).status).toBe(404);
    expect((await fetch(`${clinic.url}/identity/__proto__`)).status).toBe(404);
  });

  test('writes the audit entry of an impersonation before it returns the token', async () => {
    const response = await post(form({ ...asFull(), ...exchange() }));
    const { jti } = JSON.parse(
      atob(response.body.access_token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')),
    );
    const entry = await clinic.services.database.forTenant(tenantId).auditEntry.findFirst({
      where: { action: 'patients.impersonate', details: { path: ['jti'], equals: jti } },
    });
    expect(entry).toMatchObject({ actorType: 'Application', actorId: full.id, patientId: patient.live });
    expect(entry?.requestId).toBe(response.headers.get('request-id'));
  });

  test('records the last use of an application', async () => {
    await post(form({ ...grant, ...asFull() }));
    const { application } = clinic.services.database.forTenant(tenantId);
    await expect
      .poll(async () => (await application.findUniqueOrThrow({ where: { id: full.id } })).lastUsedAt)
      .toBeInstanceOf(Date);
  });

  test('records which of two active secrets was used', async () => {
    const admin = asAdmin(clinic.services, { id: tenantId });
    const created = await createApplication(admin, { name: 'Two secrets', scopes: ['patients:read'] });
    const { id } = created.application;
    const { client_secret: newSecret } = await rotateApplicationSecret(admin, { id });
    await post(form({ ...grant, client_id: id, client_secret: created.client_secret }));
    const usedAt = async (secret: string) => {
      const application = (await listApplications(admin)).find((one) => one.id === id);
      return application?.secrets.find(({ hint }) => hint === secret.slice(-4))?.last_used_at;
    };
    await expect.poll(() => usedAt(created.client_secret)).toEqual(expect.any(String));
    expect(await usedAt(newSecret)).toBeNull();
  });

  test('rate-limits wrong secrets but not the right one', async () => {
    const responses = [];
    for (let n = 0; n < 30; n += 1)
      responses.push(await post(form({ ...grant, client_id: reader.id, client_secret: `cs_${n}` })));
    const last = responses.at(-1)!;
    expect([last.status, last.body.error]).toEqual([429, 'slow_down']);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    const right = await post(form({ ...grant, client_id: reader.id, client_secret: reader.secret }));
    expect(right.status).toBe(200);
  });

  test('counts wrong secrets by the /64 of an IPv6 address', async () => {
    const guess = (clientId: string, ip: string) =>
      authenticateClient(
        clinic.services,
        { clientId, clientSecret: 'cs_wrong' },
        { ip, userAgent: null, requestId: newId() },
      ).catch((error) => error.code);
    const from = async (network: string, tries: number, clientIdOf: () => string) => {
      const codes = [];
      for (let n = 1; n <= tries; n += 1) codes.push(await guess(clientIdOf(), `${network}::${n.toString(16)}`));
      return codes;
    };
    // Each from another address of one /64: 20 a minute per client, 120 for all clients.
    const ofOneClient = await from('2001:db8:7:1', 21, () => full.id);
    expect([ofOneClient[19], ofOneClient[20]]).toEqual(['invalid_client', 'rate_limited']);
    const ofMany = await from('2001:db8:7:2', 121, newId);
    expect([ofMany[119], ofMany[120]]).toEqual(['invalid_client', 'rate_limited']);
    expect(await guess(full.id, '2001:db8:7:3::1')).toBe('invalid_client');
  });
});
