import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApplication, revokeApplication } from '#server/identity/applications/router.ts';
import { asAdmin, makeTenant } from '../actors.ts';
import { type Clinic, withClinic } from '../clinic.ts';
import { serveHandlers } from '../http-server.ts';
import { lastAcceptedAfter } from '../invariants/revocation.ts';
import { connectTo } from '../invariants/tenant-walk.ts';
import type { testServices } from '../services.ts';

let clinic: Clinic;
let services: ReturnType<typeof testServices>;
let server: Awaited<ReturnType<typeof serveHandlers>>;
let tenant: { id: string };
beforeAll(async () => {
  clinic = await withClinic();
  ({ services } = clinic);
  server = await serveHandlers(services);
  tenant = await makeTenant(services);
});
afterAll(async () => {
  await server?.stop();
  await clinic?.stop();
});

/** Revokes an application whose token is in use. @returns for how many milliseconds the token is still accepted */
async function outlived(): Promise<number> {
  const admin = asAdmin(services, tenant);
  const { application, client_secret } = await createApplication(admin, { name: 'Example', scopes: ['patients:read'] });
  const response = await fetch(`${server.url}/identity/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: application.id, client_secret }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  expect(await lastAcceptedAfter(services, `${access_token}x`, performance.now())).toBe(0);
  await revokeApplication(admin, { id: application.id });
  return lastAcceptedAfter(services, access_token, performance.now());
}

test('intact: a revoked application’s token is rejected within a second', async () => {
  expect(await outlived()).toBeLessThanOrEqual(1000);
});

test('K3: detects a revocation that is not stored', async () => {
  const owner = await connectTo(clinic.database.ownerUrl);
  await owner.query(`create function forget() returns trigger language plpgsql as $$
    begin new.revoked_at := null; new.tokens_valid_after := old.tokens_valid_after; return new; end $$`);
  await owner.query('create trigger planted before update on applications for each row execute function forget()');
  await owner.query('create rule planted as on update to application_secrets do instead nothing');
  await owner.end();
  expect(await outlived()).toBe(Number.POSITIVE_INFINITY);
});
