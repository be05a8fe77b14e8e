import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin, asApplication, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context, Services } from '../../core/context.ts';
import { authenticateBearer } from '../sessions/authenticate-bearer.ts';
import { createApplication, issueSampleToken, revokeApplication } from './router.ts';

let clinic: Clinic;
let services: Services;
let tenant: { id: string };
let admin: Context;
beforeAll(async () => {
  clinic = await withClinic();
  ({ services, tenant } = clinic);
  admin = asAdmin(services, tenant);
});
afterAll(() => clinic?.stop());

const newApplication = async () =>
  (await createApplication(admin, { name: 'Example Server', scopes: ['patients:read'] })).application;

test('gives an admin the token that the application would get, with an audit entry', async () => {
  const { id } = await newApplication();
  const { access_token, expires_in, scopes } = await issueSampleToken(admin, { id });
  expect(expires_in).toBe(3600);
  expect(scopes).toEqual(['patients:read']);
  expect(await authenticateBearer(services, `Bearer ${access_token}`)).toMatchObject({
    kind: 'application',
    tenantId: tenant.id,
    clientId: id,
    scopes: new Set(['patients:read']),
  });
  const [entry] = await admin.db.auditEntry.findMany({ where: { objectId: id, action: 'tokens.issue' } });
  expect(entry).toMatchObject({ actorType: 'Admin' });
  expect(JSON.stringify(entry?.details)).not.toContain(access_token);
});

test('rejects other callers, other tenants, revoked applications, and every request in production', async () => {
  const { id } = await newApplication();
  const expectError = async (ctx: Context, code: string) =>
    expect(issueSampleToken(ctx, { id })).rejects.toMatchObject({ code });
  await expectError(asPractitioner(services, tenant), 'forbidden');
  await expectError(asApplication(services, tenant, ['patients:write']), 'forbidden');
  await expectError(asAdmin(services, await makeTenant(services)), 'not_found');
  await expectError({ ...admin, config: { ...services.config, environment: 'production' } }, 'forbidden');
  await revokeApplication(admin, { id });
  await expectError(admin, 'conflict');
});

test('stops working when the application is revoked', async () => {
  const { id } = await newApplication();
  const { access_token } = await issueSampleToken(admin, { id });
  await revokeApplication(admin, { id });
  await expect(authenticateBearer(services, `Bearer ${access_token}`)).rejects.toMatchObject({ code: 'invalid_token' });
});
