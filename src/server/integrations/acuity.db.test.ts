import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin, asApplication, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { errorOf } from '#dev/testing/scheduling.ts';
import { SECOND } from '#server/core/clock.ts';
import { checkAcuity } from './check-integration.ts';
import { connectAcuity, updateAcuity } from './connect-acuity.ts';
import { inspectAcuity, registerAcuityWebhook } from './inspect-acuity.ts';
import { saveCheck } from './integration.ts';
import { getAcuityIntegration } from './list-integrations.ts';
import { disconnectAcuity } from './router.ts';
import { getAcuityAccount } from './scheduling-account.ts';

let clinic: Clinic<'acuity'>;
beforeAll(async () => {
  clinic = await withClinic({ acuity: true });
});
afterAll(() => clinic.stop());

const admin = () => asAdmin(clinic.services, clinic.tenant);
const topics = async () =>
  (await clinic.ctx.db.event.findMany({ where: { eventType: 'integration' }, orderBy: { position: 'asc' } })).map(
    ({ eventTopic }) => eventTopic,
  );

test('connecting stores the credentials encrypted, registers one webhook and returns the findings', async () => {
  const view = await connectAcuity(admin(), clinic.acuity.account);
  expect(view).toMatchObject({
    provider: 'acuity',
    status: 'connected',
    account_id: clinic.acuity.account.user_id,
    details: { time_zone: 'America/New_York' },
    findings: [
      { code: 'calendar_email_unknown', object: { type: 'Calendar', id: '11', name: 'Rowan Example' } },
      { code: 'calendar_email_unknown', object: { type: 'Calendar', id: '12', name: 'Alder Example' } },
      { code: 'calendar_without_email', object: { type: 'Calendar', id: '13', name: 'Juniper Example' } },
      { code: 'provider_mails_unknown', advice: true },
    ],
  });
  expect(JSON.stringify(view)).not.toContain(clinic.acuity.account.api_key);
  const row = await clinic.ctx.db.integration.findFirstOrThrow({ where: { provider: 'acuity' } });
  expect(Buffer.from(row.credentials!).toString('latin1')).not.toContain(clinic.acuity.account.api_key);
  expect(await topics()).toEqual(['connected']);
  expect(clinic.acuity.hooks()).toMatchObject([
    {
      event: 'appointment.changed',
      target: `${clinic.services.config.publicUrl}/api/webhooks/acuity/${clinic.tenant.id}`,
    },
  ]);
});

test('connecting from a new public address moves the webhook and keeps those of others', async () => {
  const otherTarget = 'https://elsewhere.example.test/hook';
  await clinic.acuity.console('POST', '/webhooks', { event: 'appointment.changed', target: otherTarget });
  const moved = { ...admin(), config: { ...clinic.services.config, publicUrl: 'https://care.example.test' } };
  await connectAcuity(moved, clinic.acuity.account);
  await connectAcuity(moved, clinic.acuity.account);
  const target = `https://care.example.test/api/webhooks/acuity/${clinic.tenant.id}`;
  expect(clinic.acuity.hooks().map((hook) => hook.target)).toEqual([otherTarget, target]);
});

test('a former webhook that another check has removed does not prevent the registration', async () => {
  const { provider: acuity } = await getAcuityAccount(clinic.ctx);
  const path = `/api/webhooks/acuity/${clinic.tenant.id}`;
  const removed = { id: 1, event: 'appointment.changed', target: `https://old.example.test${path}`, status: null };
  const asListedBefore = { ...acuity, webhooks: async () => [removed, ...(await acuity.webhooks())] };
  const id = await registerAcuityWebhook(clinic.ctx, asListedBefore);
  expect(clinic.acuity.hooks()).toContainEqual(
    expect.objectContaining({ id, target: clinic.services.config.publicUrl + path }),
  );
});

test('wrong credentials are rejected, and the connected account stays', async () => {
  const wrong = await errorOf(connectAcuity(admin(), { ...clinic.acuity.account, api_key: 'another' }));
  expect(wrong).toMatchObject({ code: 'invalid_parameter', source: { pointer: '/api_key' } });
  const odd = await errorOf(connectAcuity(admin(), { ...clinic.acuity.account, user_id: 'me/../you' }));
  expect(odd).toMatchObject({ source: { pointer: '/user_id' } });
  expect((await getAcuityAccount(clinic.ctx)).apiKey).toBe(clinic.acuity.account.api_key);
});

test('each credential is accepted under either of its two names', async () => {
  const { user_id: credentials, api_key: credentials_secret } = clinic.acuity.account;
  expect(await connectAcuity(admin(), { credentials, credentials_secret })).toMatchObject({ account_id: credentials });
  expect(await getAcuityAccount(clinic.ctx)).toMatchObject({ userId: credentials, apiKey: credentials_secret });
  expect(await updateAcuity(admin(), { credentials_secret })).toMatchObject({ status: 'connected' });
  for (const [input, code, pointer] of [
    [{}, 'missing_parameter', '/user_id'],
    [{ credentials }, 'missing_parameter', '/api_key'],
    [{ credentials: 'me', credentials_secret }, 'invalid_parameter', '/credentials'],
    [{ credentials, credentials_secret: 'another' }, 'invalid_parameter', '/credentials_secret'],
    [{ ...clinic.acuity.account, credentials: '1' }, 'invalid_parameter', '/credentials'],
    [{ ...clinic.acuity.account, credentials_secret: 'another' }, 'invalid_parameter', '/credentials_secret'],
  ] as const)
    expect(await errorOf(connectAcuity(admin(), input))).toMatchObject({ code, source: { pointer } });
});

test('only admins may connect and check', async () => {
  for (const ctx of [
    asPractitioner(clinic.services, clinic.tenant),
    asApplication(clinic.services, clinic.tenant, []),
  ]) {
    expect((await errorOf(connectAcuity(ctx, clinic.acuity.account))).code).toBe('forbidden');
    expect((await errorOf(checkAcuity(ctx))).code).toBe('forbidden');
    const account_id = clinic.acuity.account.user_id;
    expect((await errorOf(disconnectAcuity(ctx, { account_id }))).code).toBe('forbidden');
  }
});

test('credentials are bound to their tenant', async () => {
  const other = await makeTenant(clinic.services);
  const row = await clinic.ctx.db.integration.findFirstOrThrow({ where: { provider: 'acuity' } });
  const db = clinic.services.database.forTenant(other.id);
  const { credentials, status, accountId } = row;
  await db.integration.create({ data: { tenantId: other.id, provider: 'acuity', status, accountId, credentials } });
  await expect(getAcuityAccount({ ...clinic.ctx, tenantId: other.id, db })).rejects.toThrow();
});

test('an account that stops responding is degraded, and recovers', async () => {
  await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/me' });
  expect(await checkAcuity(admin())).toMatchObject({
    status: 'degraded',
    findings: [{ code: 'provider_unavailable', message: expect.stringContaining('Acuity') }],
    details: { time_zone: 'America/New_York' },
  });
  expect(await checkAcuity(admin())).toMatchObject({ status: 'connected' });
  expect((await topics()).slice(-2)).toEqual(['degraded', 'recovered']);
});

test('an inspection that began earlier does not replace the result of a later one', async () => {
  const earlier = { now: () => new Date(Date.now() - SECOND) };
  await clinic.acuity.fault('503', { method: 'GET', path: '/api/v1/me' });
  const outdated = await inspectAcuity({ ...clinic.ctx, clock: earlier }, await getAcuityAccount(clinic.ctx));
  expect(outdated.status).toBe('degraded');
  const view = await checkAcuity(admin());
  await saveCheck(clinic.ctx, 'acuity', outdated);
  expect(await getAcuityIntegration(clinic.ctx)).toEqual(view);
  expect(view.status).toBe('connected');
});

test('a webhook stays the registered one while Acuity cannot list webhooks', async () => {
  const registered = async () => (await checkAcuity(admin())).details;
  const before = await registered();
  await clinic.acuity.fault('503', { path: '/api/v1/webhooks' });
  expect(await registered()).toEqual(before);
  expect(await registered()).toEqual(before);
  expect(before).toMatchObject({ webhook_id: expect.any(Number), webhook_since: expect.any(String) });
});

test('checking without a connected account returns integration_not_connected', async () => {
  const other = await makeTenant(clinic.services);
  expect((await errorOf(checkAcuity(asAdmin(clinic.services, other)))).code).toBe('integration_not_connected');
});
