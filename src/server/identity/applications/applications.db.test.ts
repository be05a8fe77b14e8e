import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asApplication, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context, Services } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { getConfigurationTokens } from './get-configuration-tokens.ts';
import {
  createApplication,
  listApplications,
  revokeApplication,
  revokeApplicationSecret,
  rotateApplicationSecret,
  updateApplication,
} from './router.ts';

describe('applications', () => {
  let clinic: Clinic;
  let services: Services;
  let admin: Context;
  let practitioner: Context;
  let otherTenant: Context;
  const input = { name: 'Example Server', scopes: ['patients:read' as const] };

  beforeAll(async () => {
    clinic = await withClinic();
    ({ services } = clinic);
    const { tenant } = clinic;
    admin = asAdmin(services, tenant);
    practitioner = asPractitioner(services, tenant);
    otherTenant = asAdmin(services, await makeTenant(services));
  });
  afterAll(() => clinic?.stop());

  test('shows the secret once and stores only its hash', async () => {
    const { application, client_secret } = await createApplication(admin, input);
    expect(client_secret).toMatch(/^cs_[\w-]{43}$/);
    expect(application.secrets).toEqual([
      { id: expect.any(String), hint: client_secret.slice(-4), last_used_at: null, created_at: expect.any(String) },
    ]);
    const listed = (await listApplications(admin)).find(({ id }) => id === application.id);
    expect(listed).toEqual(application);
    const dump = await admin.db.$queryRaw`select s.*, a.* from application_secrets s, applications a`;
    const log = await admin.db.auditEntry.findMany();
    expect(
      JSON.stringify([dump, log], (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(client_secret.slice(3));
    expect(log.map(({ action }) => action)).toContain('applications.create');
  });

  test('allows two live secrets and rejects a third, also under concurrent requests', async () => {
    const { application } = await createApplication(admin, input);
    const { id } = application;
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => rotateApplicationSecret(admin, { id })));
    const created = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(created).toHaveLength(1);
    for (const one of results) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
    const [newest, oldest] = created[0]!.application.secrets;
    expect(newest?.hint).toBe(created[0]!.client_secret.slice(-4));
    const left = await revokeApplicationSecret(admin, { id, secret_id: oldest!.id });
    expect(left.secrets).toEqual([newest]);
    expect(await revokeApplicationSecret(admin, { id, secret_id: oldest!.id })).toEqual(left);
    expect((await rotateApplicationSecret(admin, { id })).application.secrets).toHaveLength(2);
  });

  test('changes name and scopes with an audit entry; repeating the same values changes nothing', async () => {
    const { application } = await createApplication(admin, {
      name: 'Old',
      scopes: ['patients:read', 'patients:write'],
    });
    const { id } = application;
    const scopes = ['appointments:read' as const, 'patients:read' as const];
    const changed = await updateApplication(admin, { id, name: 'New', scopes });
    expect(changed).toEqual({ ...application, name: 'New', scopes });
    expect(await updateApplication(admin, { id, scopes })).toEqual(changed);
    expect(await updateApplication(admin, { id })).toEqual(changed);
    expect((await listApplications(admin)).find((one) => one.id === id)).toEqual(changed);
    const entries = await admin.db.auditEntry.findMany({ where: { objectId: id, action: 'applications.update' } });
    const details = { name: 'New', before: 'Old', added: ['appointments:read'], removed: ['patients:write'] };
    expect(entries.map((entry) => entry.details)).toEqual([details]);
  });

  test('rejects a change of a revoked application', async () => {
    const { application } = await createApplication(admin, input);
    await revokeApplication(admin, { id: application.id });
    const update = updateApplication(admin, { id: application.id, name: 'New' });
    await expect(update).rejects.toMatchObject({ code: 'conflict' });
  });

  test('returns the same result when an application is revoked twice', async () => {
    const { application } = await createApplication(admin, input);
    const revoked = await revokeApplication(admin, { id: application.id });
    expect(revoked).toMatchObject({ secrets: [], revoked_at: expect.any(String) });
    expect(await revokeApplication(admin, { id: application.id })).toEqual(revoked);
  });

  test('returns not_found for an unknown application and for one of another tenant', async () => {
    const { application } = await createApplication(admin, input);
    const secret_id = application.secrets[0]!.id;
    for (const [ctx, id] of [[otherTenant, application.id] as const, [admin, newId()] as const]) {
      const notFoundError = { code: 'not_found' };
      await expect(updateApplication(ctx, { id, name: 'Mine' })).rejects.toMatchObject(notFoundError);
      await expect(rotateApplicationSecret(ctx, { id })).rejects.toMatchObject(notFoundError);
      await expect(revokeApplicationSecret(ctx, { id, secret_id })).rejects.toMatchObject(notFoundError);
      await expect(revokeApplication(ctx, { id })).rejects.toMatchObject(notFoundError);
    }
    await expect(revokeApplicationSecret(admin, { id: application.id, secret_id: newId() })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await listApplications(otherTenant)).toEqual([]);
  });

  test('allows only an admin', async () => {
    const { application } = await createApplication(admin, input);
    const { id } = application;
    const weak = asApplication(services, { id: admin.tenantId }, ['patients:read', 'patients:write']);
    for (const ctx of [practitioner, weak])
      for (const call of [
        () => createApplication(ctx, input),
        () => listApplications(ctx),
        () => updateApplication(ctx, { id, name: 'Mine' }),
        () => rotateApplicationSecret(ctx, { id }),
        () => revokeApplicationSecret(ctx, { id, secret_id: application.secrets[0]!.id }),
        () => revokeApplication(ctx, { id }),
        () => getConfigurationTokens(ctx),
      ])
        await expect(call()).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('returns stable configuration tokens with one client per flow, also under concurrent first requests', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => getConfigurationTokens(admin)));
    for (const tokens of all) expect(tokens).toEqual(all[0]);
    const contents = Object.values(all[0]!).map((token) => {
      const [care, env, rest] = token.split('_') as [string, string, string];
      expect([care, env]).toEqual(['care', 'sandbox']);
      return JSON.parse(Buffer.from(rest, 'base64url').toString());
    });
    const { baseUrl: api, issuer: auth } = services.config;
    const common = { v: 1, env: 'sandbox', api, auth, tenant_id: admin.tenantId, client_id: expect.any(String) };
    expect(contents).toEqual([
      { ...common, flow: 'passwordless' },
      { ...common, flow: 'credentials' },
    ]);
    expect(await admin.db.application.count({ where: { kind: { not: 'server' } } })).toBe(2);
    expect((await listApplications(admin)).map(({ client_id }) => client_id)).not.toContain(contents[0].client_id);
  });
});
