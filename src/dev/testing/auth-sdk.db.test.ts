import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { impersonation, machineToMachine } from '#sdk/node.ts';
import { newId } from '#server/core/ids.ts';
import { createApplication } from '#server/identity/applications/create-application.ts';
import { asAdmin, makeTenant } from './actors.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { serveIdentity } from './identity-server.ts';

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

describe("the SDK's server functions with the real token endpoint", () => {
  let database: TestDatabase;
  let server: Awaited<ReturnType<typeof serveIdentity>>;
  let url: string;
  let clientId: string;
  let secret: string;
  const patientId = newId();

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await serveIdentity(database);
    url = `${server.url}/identity/oauth2/token`;
    const tenant = await makeTenant(server.services);
    const made = await createApplication(asAdmin(server.services, tenant), {
      name: 'Example Server',
      scopes: ['patients:read', 'patients:impersonate'],
    });
    clientId = made.application.client_id;
    secret = made.client_secret;
    const db = server.services.database.forTenant(tenant.id);
    await db.patient.create({ data: { id: patientId, tenantId: tenant.id, email: 'ada@example.test' } });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

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
