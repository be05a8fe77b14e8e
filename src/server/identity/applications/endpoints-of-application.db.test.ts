import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES, type Scope } from '#contract/scopes.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { pauseAt } from '#dev/testing/pause-at.ts';
import { type WebhookSetup, withWebhooks } from '#dev/testing/webhook-setup.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createEndpoint, updateEndpoint } from '#server/webhooks/change-endpoint.ts';
import { getEndpoint } from '#server/webhooks/list-endpoints.ts';
import { createApplication, revokeApplication, updateApplication } from './router.ts';

let webhooks: WebhookSetup;
beforeAll(async () => {
  webhooks = await withWebhooks(await withClinic({ clock: true }));
});
afterAll(() => webhooks?.stop());

const SOON = { timeout: 10_000 };
const ALL = SCOPES.filter((scope) => scope !== 'admin');
const without = (...scopes: Scope[]) => ALL.filter((scope) => !scopes.includes(scope));
const URL = 'https://hooks.example.com/';
const CONFIRMED = { payload: 'snapshot', health_data_confirmed: true } as const;

/** A tenant with an application, and the context in which the application calls the API. */
async function withApplication(scopes: readonly Scope[] = ALL) {
  const tenant = await webhooks.tenant();
  const application = async (granted: readonly Scope[], name = 'Warehouse') => {
    const { id } = (await createApplication(tenant.admin, { name, scopes: [...granted] })).application;
    return { id, app: as(tenant.id, id, granted) };
  };
  return { ...tenant, ...(await application(scopes)), tenantId: tenant.id, application };
}
const as = (tenantId: string, clientId: string, scopes: readonly Scope[]): Context =>
  contextFor(webhooks.services, { kind: 'application', tenantId, clientId, scopes: new Set(scopes) });

describe('an endpoint created by an application', () => {
  test('is disabled when the application is revoked, with a reason and an audit entry', async () => {
    const { app, admin, id, ctx, endpoint } = await withApplication();
    const created = await createEndpoint(app, { url: URL, event_types: ['patient'] });
    expect(created).toMatchObject({ application_id: id, enabled: true });
    const ofStaff = await endpoint(URL);
    expect(ofStaff.application_id).toBeNull();
    await revokeApplication(admin, { id });
    const off = { enabled: false, status: 'off', off_because: 'application_revoked', application_id: id };
    expect(await getEndpoint(admin, created)).toMatchObject(off);
    expect(await getEndpoint(admin, ofStaff)).toMatchObject({ enabled: true });
    expect(await ctx.db.auditEntry.findMany({ where: { action: 'webhooks.switch_off' } })).toMatchObject([
      {
        objectId: created.id,
        actorType: 'Admin',
        details: { because: 'application_revoked', host: 'hooks.example.com' },
      },
    ]);
    const back = await updateEndpoint(admin, { id: created.id, enabled: true });
    expect(back).toMatchObject({ enabled: true, off_because: null, application_id: null });
  });

  test('is disabled when the application loses a scope that it needs, and not for another scope', async () => {
    const { app, admin, id } = await withApplication();
    const created = await createEndpoint(app, { url: URL, event_types: ['patient.created', 'appointment'] });
    await updateApplication(admin, { id, scopes: without('webhooks:write', 'subscriptions:read') });
    expect(await getEndpoint(admin, created)).toMatchObject({ enabled: true });
    await updateApplication(admin, { id, scopes: without('webhooks:write', 'appointments:read') });
    expect(await getEndpoint(admin, created)).toMatchObject({ enabled: false, off_because: 'scope_removed' });
  });

  test('stays enabled after the loss of admin when the other scopes suffice', async () => {
    const { app, admin, id } = await withApplication(['admin', 'events:read', 'patients:read']);
    const plain = await createEndpoint(app, { url: URL, event_types: ['patient'] });
    const everything = await createEndpoint(app, { url: URL, event_types: ['*'] });
    await updateApplication(admin, { id, scopes: ['events:read', 'patients:read'] });
    expect(await getEndpoint(admin, plain)).toMatchObject({ enabled: true });
    expect(await getEndpoint(admin, everything)).toMatchObject({ enabled: false });
  });

  test('belongs to the application that changed it last', async () => {
    const { app, admin, id, application } = await withApplication();
    const created = await createEndpoint(app, { url: URL, event_types: ['patient'] });
    const other = await application(ALL, 'Billing');
    expect(await updateEndpoint(other.app, { id: created.id, description: 'Ours' })).toMatchObject({
      application_id: other.id,
    });
    expect(await updateEndpoint(admin, { id: created.id, description: 'Theirs' })).toMatchObject({
      application_id: other.id,
    });
    await revokeApplication(admin, { id });
    expect(await getEndpoint(admin, created)).toMatchObject({ enabled: true });
    await revokeApplication(admin, { id: other.id });
    expect(await getEndpoint(admin, created)).toMatchObject({ enabled: false });
  });
});

describe('health data', () => {
  test('can be selected only by an application that has the scope for it', async () => {
    const { app, application, tenantId, id } = await withApplication();
    const { app: thin } = await application(without('webhooks:snapshot'), 'Thin');
    const input = { url: URL, event_types: ['patient'] };
    const forbidden = { code: 'forbidden' };
    await expect(createEndpoint(thin, { ...input, ...CONFIRMED })).rejects.toMatchObject(forbidden);
    const created = await createEndpoint(thin, input);
    await expect(updateEndpoint(thin, { id: created.id, ...CONFIRMED })).rejects.toMatchObject(forbidden);
    const full = await createEndpoint(app, { ...input, ...CONFIRMED });
    const weaker = as(tenantId, id, without('webhooks:snapshot'));
    for (const change of [{ url: `${URL}b`, health_data_confirmed: true as const }, { event_types: ['appointment'] }])
      await expect(updateEndpoint(weaker, { id: full.id, ...change })).rejects.toMatchObject(forbidden);
    await expect(updateEndpoint(thin, { id: full.id, description: 'Ours' })).rejects.toMatchObject(forbidden);
    expect(await updateEndpoint(weaker, { id: full.id, description: 'Ours' })).toMatchObject({ payload: 'snapshot' });
    expect(await updateEndpoint(weaker, { id: full.id, payload: 'thin' })).toMatchObject({ payload: 'thin' });
  });
});

test('does not send a delivery that is due right after the revocation, even when a process has already claimed it', async () => {
  const { app, admin, id, recordEvent, ctx } = await withApplication();
  const receiver = await webhooks.receiver();
  const created = await createEndpoint(app, { url: receiver.url, event_types: ['patient'], ...CONFIRMED });
  const patient = await ctx.db.patient.create({ data: { id: newId(), tenantId: ctx.tenantId, firstName: 'Ada' } });
  const leaving = { table: 'audit_entries', at: 'before insert', when: "new.action = 'webhooks.deliver'" };
  const pausePoint = await pauseAt(webhooks.database.ownerUrl, leaving);
  await recordEvent('patient.created', patient.id, patient.id);
  await pausePoint.reached(1);
  await revokeApplication(admin, { id });
  await pausePoint.release();
  const stateOf = async () => (await ctx.db.webhookDelivery.findFirst())?.state;
  await expect.poll(stateOf, SOON).toBe('waiting');
  expect(receiver.received).toEqual([]);
  await updateEndpoint(admin, { id: created.id, enabled: true });
  await expect.poll(() => receiver.accepted.length, SOON).toBe(1);
});
