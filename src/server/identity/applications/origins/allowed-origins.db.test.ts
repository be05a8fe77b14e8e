import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asApplication, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context, Services } from '#server/core/context.ts';
import { createApplication, listApplications } from '../router.ts';
import { listAllowedOrigins, setAllowedOrigins } from './allowed-origins.ts';

const APP = 'https://app.example.test';
const SHOP = 'https://shop.example.test';

describe('allowed origins', () => {
  let clinic: Clinic;
  let services: Services;
  let admin: Context;
  let otherTenant: Context;
  let tenant: { id: string };

  beforeAll(async () => {
    clinic = await withClinic();
    ({ services, tenant } = clinic);
    admin = asAdmin(services, tenant);
    otherTenant = asAdmin(services, await makeTenant(services));
  });
  afterAll(() => clinic?.stop());

  const entries = async (ctx: Context) =>
    (await ctx.db.auditEntry.findMany({ orderBy: { id: 'asc' } })).filter(({ action }) =>
      action.includes('allowed_origins'),
    );

  test('is empty until an admin lists origins; a new list replaces the previous one', async () => {
    expect(await listAllowedOrigins(admin)).toEqual([]);
    expect(await setAllowedOrigins(admin, { origins: [APP, SHOP] })).toEqual([APP, SHOP]);
    expect(await setAllowedOrigins(admin, { origins: [SHOP] })).toEqual([SHOP]);
    expect(await listAllowedOrigins(admin)).toEqual([SHOP]);
    expect(await setAllowedOrigins(admin, { origins: [] })).toEqual([]);
    expect(await services.database.tenantsOf(`origin:${APP}`)).toEqual([]);
  });

  test('records each change with its actor; saving the same list again records nothing', async () => {
    await setAllowedOrigins(admin, { origins: [APP] });
    const before = (await entries(admin)).length;
    await setAllowedOrigins(admin, { origins: [APP] });
    expect(await entries(admin)).toHaveLength(before);
    await setAllowedOrigins(admin, { origins: [SHOP] });
    expect((await entries(admin)).at(-1)).toMatchObject({
      action: 'applications.set_allowed_origins',
      details: { added: [SHOP], removed: [APP] },
      tenantId: tenant.id,
    });
  });

  test('lets two tenants list the same website without seeing or changing the list of the other', async () => {
    await setAllowedOrigins(admin, { origins: [APP] });
    await setAllowedOrigins(otherTenant, { origins: [APP, SHOP] });
    expect(await listAllowedOrigins(admin)).toEqual([APP]);
    expect(await services.database.tenantsOf(`origin:${APP}`)).toHaveLength(2);
    await setAllowedOrigins(otherTenant, { origins: [] });
    expect(await services.database.tenantsOf(`origin:${APP}`)).toEqual([tenant.id]);
  });

  test('leaves the routes of applications unchanged', async () => {
    const { application, client_secret } = await createApplication(admin, {
      name: 'Server',
      scopes: ['patients:read'],
    });
    await setAllowedOrigins(admin, { origins: [APP] });
    await setAllowedOrigins(admin, { origins: [] });
    expect(await services.database.tenantsOf(`client:${application.id}`)).toEqual([tenant.id]);
    expect(client_secret).toBeTruthy();
    expect(await listApplications(admin)).toHaveLength(1);
  });

  test('stores exactly one of several concurrent lists', async () => {
    const lists = Array.from({ length: 8 }, (_, index) => [`https://app${index}.example.test`, SHOP].sort());
    await Promise.all(lists.map((origins) => setAllowedOrigins(admin, { origins })));
    expect(lists).toContainEqual(await listAllowedOrigins(admin));
  });

  test('is limited to admins: practitioners and applications without the scope can neither read nor change it', async () => {
    await setAllowedOrigins(admin, { origins: [APP] });
    for (const ctx of [asPractitioner(services, tenant), asApplication(services, tenant, ['patients:write'])]) {
      await expect(listAllowedOrigins(ctx)).rejects.toMatchObject({ code: 'forbidden' });
      await expect(setAllowedOrigins(ctx, { origins: [] })).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(await listAllowedOrigins(admin)).toEqual([APP]);
  });

  test('accepts http in a sandbox only; the error in production points to the invalid origin', async () => {
    const origins = [APP, 'http://localhost:5173'];
    const production = { ...admin, config: { ...admin.config, environment: 'production' as const } };
    await expect(setAllowedOrigins(production, { origins })).rejects.toMatchObject({
      faults: [{ code: 'invalid_parameter', source: { pointer: '/origins/1' } }],
    });
    expect(await listAllowedOrigins(admin)).toEqual([APP]);
    expect(await setAllowedOrigins(admin, { origins })).toEqual(origins);
  });
});
