import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { impersonation, machineToMachine } from '#sdk/node.ts';
import { newId } from '#server/core/ids.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { asAdmin } from './actors.ts';
import { type Clinic, withClinic } from './clinic.ts';
import { fixedClock } from './fixed-clock.ts';

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

describe("the SDK's server functions with the real token endpoint", () => {
  let clinic: Clinic<'http'>;
  let url: string;
  let clientId: string;
  let secret: string;
  const patientId = newId();

  beforeAll(async () => {
    clinic = await withClinic({ http: true, overrides: { clock: fixedClock() } });
    url = `${clinic.url}/identity/oauth2/token`;
    const { services, tenant } = clinic;
    const created = await createApplication(asAdmin(services, tenant), {
      name: 'Example Server',
      scopes: ['patients:read', 'patients:impersonate'],
    });
    clientId = created.application.client_id;
    secret = created.client_secret;
    const db = clinic.services.database.forTenant(tenant.id);
    await db.patient.create({ data: { id: patientId, tenantId: tenant.id, email: 'ada@example.test' } });
  });
  afterAll(() => clinic?.stop());

  test('concurrent callers share one application token', async () => {
    const get = () => machineToMachine.getAccessToken(url, clientId, secret);
    const tokens = new Set(await Promise.all(Array.from({ length: 20 }, get)));
    expect(tokens.size).toBe(1);
    expect(claimsOf([...tokens][0]!)).toMatchObject({ sub: clientId, user_type: 'Application' });
  });

  test('impersonates a patient by email, with the application as the actor', async () => {
    const claims = claimsOf(await impersonation.signIn('Ada@example.test', url, clientId, secret));
    expect(claims).toMatchObject({ sub: patientId, user_type: 'Patient', act: { sub: clientId } });
  });

  test('rejects a wrong secret and an unknown patient', async () => {
    await expect(machineToMachine.getAccessToken(url, clientId, 'cs_wrong')).rejects.toMatchObject({
      name: 'ConfigurationError',
      code: 'invalid_client',
    });
    await expect(impersonation.signIn('unknown@example.test', url, clientId, secret)).rejects.toMatchObject({
      name: 'InvalidInputError',
      code: 'invalid_request',
    });
  });
});
