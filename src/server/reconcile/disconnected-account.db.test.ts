import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { testServices } from '#dev/testing/services.ts';
import type { Context } from '#server/core/context.ts';
import { checkStripe } from '#server/integrations/check-integration.ts';
import { connectStripe } from '#server/integrations/connect-stripe.ts';
import { inspectStripe, refreshStripeAccount } from '#server/integrations/inspect-stripe.ts';
import { saveCheck } from '#server/integrations/integration.ts';
import { getStripeIntegration } from '#server/integrations/list-integrations.ts';
import { disconnectStripe } from '#server/integrations/router.ts';
import { cancelSubscription } from '#server/subscriptions/cancel/cancel-subscription.ts';
import { createCheckoutLink } from '#server/subscriptions/checkout/create-checkout-link.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { resolveSubscription } from '#server/subscriptions/create/intent.ts';
import { listLiveSubscriptions } from '#server/subscriptions/create/list-live-subscriptions.ts';
import { applyStripeEvents } from '#server/subscriptions/stripe-events/apply-stripe-events.ts';
import { reconcileStripe } from './reconcile-stripe.ts';
import { refreshSubscription } from './refresh-subscription.ts';

let billing: Clinic<'stripe'>;
let admin: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  admin = asAdmin(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

/** As reported by webhooks. */
const statusIs = (status: string) =>
  expect.poll(async () => (await getStripeIntegration(admin)).status, { timeout: 10_000 }).toBe(status);
const topics = async () =>
  (await admin.db.event.findMany({ where: { eventType: 'integration' }, orderBy: { position: 'asc' } })).map(
    ({ eventTopic }) => eventTopic,
  );

describe('disconnecting Stripe', () => {
  it('requires an admin and the connected account’s id', async () => {
    await statusIs('connected');
    const {
      services,
      tenant,
      stripe: { accountId },
    } = billing;
    const patient = asPatient(services, tenant, await billing.patient());
    for (const ctx of [
      asPractitioner(services, tenant),
      asApplication(services, tenant, ['subscriptions:write']),
      patient,
    ])
      await expect(disconnectStripe(ctx, { account_id: accountId })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(disconnectStripe(admin, { account_id: 'acct_another' })).rejects.toMatchObject({ code: 'conflict' });
    expect((await getStripeIntegration(admin)).status).toBe('connected');
  });

  it('keeps the history, ends payment links, and ignores later events of the account', async () => {
    const {
      stripe: { accountId },
    } = billing;
    const patient_id = await billing.patient();
    const subscription = await createSubscription(admin, { patient_id, price_ids: [await billing.stripe.price()] });
    await createCheckoutLink(admin, { subscription_id: subscription.id });
    const before = await topics();

    const disconnected = await disconnectStripe(admin, { account_id: accountId });
    expect(disconnected).toMatchObject({ status: 'disconnected', account_id: accountId, details: {}, findings: [] });
    expect(disconnected.sync).toBeUndefined();
    expect(await topics()).toEqual([...before, 'disconnected']);
    const links = await admin.db.checkoutLink.findMany();
    expect(links).toMatchObject([{ token: null, endedAt: expect.any(Date) }]);
    expect(await admin.db.subscription.count({ where: { id: subscription.id } })).toBe(1);
    // Its payments are not reported here, so no other link is created either.
    await expect(createCheckoutLink(admin, { subscription_id: subscription.id })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await billing.stripe.api.accounts.retrieve(accountId)).id).toBe(accountId);

    // A repeated request and later events of the account change nothing.
    await disconnectStripe(admin, { account_id: accountId });
    const stored = await admin.db.inboundEvent.count();
    await billing.stripe.control('trigger', { name: 'restrict', account: accountId });
    await billing.stripe.api.subscriptions.cancel(subscription.id, {}, { stripeAccount: accountId });
    const types = () => billing.stripe.deliveries.map(({ type }) => type);
    await expect.poll(types, { timeout: 10_000 }).toContain('customer.subscription.deleted');
    expect(await admin.db.inboundEvent.count()).toBe(stored);
    await refreshStripeAccount(admin, accountId, false);
    await saveCheck(admin, 'stripe', await inspectStripe(admin, accountId));
    expect((await getStripeIntegration(admin)).status).toBe('disconnected');
    expect(await topics()).toEqual([...before, 'disconnected']);
  });

  it('allows a new account and keeps the history of the former one', async () => {
    const former = billing.stripe.accountId;
    const integration = await connectStripe(admin);
    expect(integration.account_id).not.toBe(former);
    expect(integration).toMatchObject({ status: 'degraded', sync: { unknown: [] } });
    expect(await admin.db.subscription.count({ where: { accountId: former } })).toBe(1);
    expect(integration.findings.map(({ code }) => code)).toContain('onboarding_incomplete');
    // A late retry of the earlier request does not disconnect the new account.
    await expect(disconnectStripe(admin, { account_id: former })).rejects.toMatchObject({ code: 'conflict' });
    // Nor does an inspection of the former account that was in progress.
    await saveCheck(admin, 'stripe', { ...(await inspectStripe(admin, former)), status: 'connected', findings: [] });
    expect((await getStripeIntegration(admin)).status).toBe('degraded');

    await billing.stripe.control('trigger', { name: 'complete_onboarding', account: integration.account_id });
    await statusIs('connected');
    expect((await topics()).slice(-3)).toEqual(['disconnected', 'connected', 'recovered']);
  });
});

describe('a subscription at an account without access', () => {
  /** Creates a subscription at the connected account. */
  async function subscribe() {
    const { account_id } = await getStripeIntegration(admin);
    const patient_id = await billing.patient();
    const at = { stripeAccount: account_id! };
    const product = await billing.stripe.api.products.create({ name: 'Care plan' }, at);
    const terms = { currency: 'usd', unit_amount: 4900, recurring: { interval: 'month' as const } };
    const price = await billing.stripe.api.prices.create({ product: product.id, ...terms }, at);
    const { id } = await createSubscription(admin, { patient_id, price_ids: [price.id] });
    await billing.stripe.allSent();
    return { id, account_id };
  }
  async function loseAccess(account_id: string | null) {
    await billing.stripe.control('trigger', { name: 'deauthorize', account: account_id });
    await statusIs('disconnected');
  }
  async function connectAnother(account_id: string | null) {
    const { account_id: another } = await connectStripe(admin);
    expect(another).not.toBe(account_id);
    await billing.stripe.control('trigger', { name: 'complete_onboarding', account: another });
    await statusIs('connected');
  }

  it('fails a create without an outcome only once another account is connected', async () => {
    const { id, account_id } = await subscribe();
    const { tenantId } = admin;
    const intent = await admin.db.subscriptionIntent.findFirstOrThrow({ where: { subscriptionId: id } });
    const job = { tenantId, intentId: intent.id };
    // As if the create had been interrupted.
    await admin.db.subscription.deleteMany({ where: { id } });
    const where = { id: intent.id };
    await admin.db.subscriptionIntent.updateMany({ where, data: { status: 'pending', subscriptionId: null } });
    await loseAccess(account_id);
    await expect(resolveSubscription(billing.services, job)).rejects.toMatchObject({
      code: 'integration_not_connected',
    });
    const live = () => listLiveSubscriptions(admin.db, admin, intent.patientId);
    expect(await live()).toMatchObject({ intents: [{ id: intent.id }] });
    const key = `resolve_subscription:${intent.id}`;
    await admin.db.$executeRaw`
      update graphile_worker._private_jobs set attempts = max_attempts where key = ${key}`;
    await connectAnother(account_id);
    const [queued] = await admin.db.$queryRaw<{ attempts: number }[]>`
      select attempts from graphile_worker._private_jobs where key = ${key}`;
    expect(queued).toEqual({ attempts: 0 });
    await resolveSubscription(billing.services, job);
    expect(await admin.db.subscriptionIntent.findFirstOrThrow({ where })).toMatchObject({ status: 'failed' });
    expect(await live()).toEqual({ subscriptions: [], intents: [] });
  });

  it('is ended only locally, in the name of the requester, once another account is connected', async () => {
    const { id, account_id } = await subscribe();
    await loseAccess(account_id);
    const before = await admin.db.subscription.findFirstOrThrow({ where: { id } });
    await refreshSubscription(billing.services, { tenantId: admin.tenantId, subscriptionId: id });
    expect(await admin.db.subscription.findFirstOrThrow({ where: { id } })).toMatchObject({ status: before.status });
    await connectAnother(account_id);

    expect(await cancelSubscription(admin, { id })).toMatchObject({ status: 'canceled' });
    const disconnected = await admin.db.event.findMany({ where: { objectId: id, eventTopic: 'canceled' } });
    expect(disconnected).toMatchObject([{ authorType: 'Admin' }]);
    const entries = await admin.db.auditEntry.findMany({ where: { objectId: id, action: 'subscriptions.cancel' } });
    expect(entries).toMatchObject([{ details: { because: 'former_account' } }]);
  });
});

describe('an update of the connected account', () => {
  it('degrades the integration when it is restricted, with readable requirements', async () => {
    const account = (await getStripeIntegration(admin)).account_id;
    const from = billing.stripe.deliveries.length;
    await billing.stripe.control('trigger', { name: 'restrict', account });
    await statusIs('degraded');
    expect(await getStripeIntegration(admin)).toMatchObject({
      requirements: ['A document that proves who a person is'],
      findings: expect.arrayContaining([expect.objectContaining({ code: 'charges_disabled' })]),
    });
    expect(billing.stripe.deliveries.slice(from).map(({ type }) => type)).toContain('account.updated');
  });

  it('is also processed from capability.updated alone', async () => {
    const account_id = (await getStripeIntegration(admin)).account_id!;
    billing.stripe.hold(true);
    await billing.stripe.control('trigger', { name: 'complete_onboarding', account: account_id });
    billing.stripe.hold(false);
    const payload = JSON.stringify({
      id: 'evt_capability',
      object: 'event',
      type: 'capability.updated',
      account: account_id,
      livemode: false,
      created: Math.floor(Date.now() / 1000),
      data: { object: { id: 'card_payments', object: 'capability', account: account_id, status: 'active' } },
    });
    const { STRIPE_WEBHOOK_SECRET } = await import('#dev/testing/services.ts');
    const signature = billing.stripe.api.webhooks.generateTestHeaderString({ payload, secret: STRIPE_WEBHOOK_SECRET });
    await billing.stripe.deliver({ rawBody: payload, signature });
    expect((await getStripeIntegration(admin)).status).toBe('connected');
  });
});

describe('an API key without a permission', () => {
  it('is reported with the permission, and disconnects nothing', async () => {
    const { account_id } = await getStripeIntegration(admin);
    const message = `The provided key 'rk_test_***1' does not have the required permissions for this endpoint on account '${account_id}'. Having the 'rak_subscription_read' permission would allow this request to continue.`;
    const stripe = createServer((_, response) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { type: 'invalid_request_error', message } }));
    });
    await new Promise<void>((resolve) => stripe.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(stripe.address() as AddressInfo).port}`;
    const services = testServices(billing.database, { STRIPE_API_URL: url });
    try {
      const { tenantId } = admin;
      await expect(checkStripe({ ...admin, ...services })).rejects.toMatchObject({
        code: 'provider_error',
        message: expect.stringContaining('it lacks the permission rak_subscription_read.'),
      });
      await reconcileStripe(services, { tenantId });
      await admin.db.inboundEvent.create({
        data: {
          ...{ id: 'evt_1', tenantId, provider: 'stripe', accountId: account_id, objectId: 'sub_1' },
          eventType: 'customer.subscription.updated',
        },
      });
      const applied = applyStripeEvents(services, { tenantId, objectId: 'sub_1' });
      await expect(applied).rejects.toMatchObject({ code: 'provider_error' });
      expect(await getStripeIntegration(admin)).toMatchObject({ status: 'connected', account_id });
    } finally {
      await services.close();
      await new Promise((resolve) => stripe.close(resolve));
    }
  });
});
