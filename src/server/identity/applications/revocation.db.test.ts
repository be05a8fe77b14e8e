import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { isAccepted, lastAcceptedAfter } from '#dev/testing/invariants/revocation.ts';
import { testServices } from '#dev/testing/services.ts';
import type { Services } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { handleTokenRequest } from '../oauth/handle-token-request.ts';
import { authenticateBearer } from '../sessions/authenticate-bearer.ts';
import {
  createApplication,
  revokeApplication,
  revokeApplicationSecret,
  rotateApplicationSecret,
  updateApplication,
} from './router.ts';

const ONE_SECOND_MS = 1000;

/** Two processes on one database: a revocation in one takes effect in the other within a second. */
describe('revocation between processes', () => {
  let clinic: Clinic;
  let here: Services;
  let there: Services;
  let tenant: { id: string };
  let patientId: string;

  beforeAll(async () => {
    clinic = await withClinic();
    ({ services: here, tenant } = clinic);
    there = testServices(clinic.database, clinic.settings);
    patientId = newId();
    await here.database.forTenant(tenant.id).patient.create({ data: { id: patientId, tenantId: tenant.id } });
  });
  afterAll(async () => {
    await there.close();
    await clinic.stop();
  });

  const admin = () => asAdmin(here, tenant);
  const make = () => createApplication(admin(), { name: 'Example', scopes: ['patients:impersonate'] });
  const request = (services: Services, form: Record<string, string>) =>
    handleTokenRequest(services, {
      body: new URLSearchParams(form).toString(),
      authorization: null,
      ip: '192.0.2.1',
      userAgent: null,
      requestId: newId(),
    });
  const buy = (clientId: string, secret: string, services = here) =>
    request(services, { grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
  const impersonate = (clientId: string, secret: string) =>
    request(here, {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: clientId,
      client_secret: secret,
      subject_token: patientId,
      subject_token_type: 'urn:carelane:params:oauth:token-type:patient-id',
    });
  const works = (services: Services, token: { access_token: string }) => isAccepted(services, token.access_token);
  const lastAccepted = (services: Services, token: { access_token: string }, revokedAt: number) =>
    lastAcceptedAfter(services, token.access_token, revokedAt);

  test('rejects a revoked application immediately in this process and within a second in the other', async () => {
    const { application, client_secret } = await make();
    const tokens = [await buy(application.id, client_secret), await impersonate(application.id, client_secret)];
    for (const token of tokens) expect([await works(here, token), await works(there, token)]).toEqual([true, true]);
    await revokeApplication(admin(), { id: application.id });
    const revokedAt = performance.now();
    for (const token of tokens) {
      expect(await works(here, token)).toBe(false);
      expect(await lastAccepted(there, token, revokedAt)).toBeLessThanOrEqual(ONE_SECOND_MS);
    }
    await expect(buy(application.id, client_secret)).rejects.toMatchObject({ code: 'invalid_client' });
    await expect(rotateApplicationSecret(admin(), { id: application.id })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('revokes the tokens of a revoked secret and leaves those of the other secret', async () => {
    const { application, client_secret: oldSecret } = await make();
    const { client_secret: newSecret } = await rotateApplicationSecret(admin(), { id: application.id });
    const [oldToken, newToken] = [await buy(application.id, oldSecret), await buy(application.id, newSecret)];
    expect([await works(there, oldToken), await works(there, newToken)]).toEqual([true, true]);
    await revokeApplicationSecret(admin(), { id: application.id, secret_id: application.secrets[0]!.id });
    const revokedAt = performance.now();
    expect(await works(here, oldToken)).toBe(false);
    expect(await lastAccepted(there, oldToken, revokedAt)).toBeLessThanOrEqual(ONE_SECOND_MS);
    expect([await works(here, newToken), await works(there, newToken)]).toEqual([true, true]);
    await expect(buy(application.id, oldSecret)).rejects.toMatchObject({ code: 'invalid_client' });
  });

  test('rejects within a second a token that a slower process still issues for a revoked secret', async () => {
    const { application, client_secret } = await make();
    await buy(application.id, client_secret, there);
    await revokeApplicationSecret(admin(), { id: application.id, secret_id: application.secrets[0]!.id });
    const revokedAt = performance.now();
    const late = await buy(application.id, client_secret, there).catch(() => null);
    if (late) expect(await lastAccepted(there, late, revokedAt)).toBeLessThanOrEqual(ONE_SECOND_MS);
  });

  test('removes revoked scopes from live tokens within a second and leaves the others', async () => {
    const scopes = ['patients:read', 'patients:write', 'patients:impersonate'] as const;
    const { application, client_secret } = await createApplication(admin(), { name: 'Example', scopes: [...scopes] });
    const [token, acting] = [
      await buy(application.id, client_secret),
      await impersonate(application.id, client_secret),
    ];
    const rightsOf = async (services: Services) => {
      const actor = await authenticateBearer(services, `Bearer ${token.access_token}`);
      return actor.kind === 'application' ? [...actor.scopes].sort() : [];
    };
    expect(await rightsOf(there)).toEqual([...scopes].sort());
    expect(await works(there, acting)).toBe(true);
    await updateApplication(admin(), { id: application.id, scopes: ['patients:read', 'appointments:read'] });
    await new Promise((resolve) => setTimeout(resolve, ONE_SECOND_MS + 100));
    for (const services of [here, there]) {
      // Added scopes take effect with the next token only.
      expect(await rightsOf(services)).toEqual(['patients:read']);
      expect(await works(services, acting)).toBe(false);
    }
  });

  test('archiving a patient ends only the impersonations of that patient', async () => {
    const { application, client_secret } = await make();
    const applicationToken = await buy(application.id, client_secret);
    const impersonation = await impersonate(application.id, client_secret);
    expect([await works(there, applicationToken), await works(there, impersonation)]).toEqual([true, true]);
    await here.database
      .forTenant(tenant.id)
      .patient.update({ where: { id: patientId }, data: { status: 'archived', archivedAt: new Date() } });
    const revokedAt = performance.now();
    expect(await lastAccepted(there, impersonation, revokedAt)).toBeLessThanOrEqual(ONE_SECOND_MS);
    expect(await works(there, applicationToken)).toBe(true);
    await expect(impersonate(application.id, client_secret)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
