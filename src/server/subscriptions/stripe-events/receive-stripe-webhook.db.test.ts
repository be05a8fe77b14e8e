import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { STRIPE_WEBHOOK_SECRET } from '#dev/testing/services.ts';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { getSubscription } from '../sync/get-subscription.ts';
import { applyStripeEvents, processStripeEvent } from './apply-stripe-events.ts';

let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
});
afterEach(() => {
  billing.stripe.hold(false);
  billing.stripe.emulator.faults.clear();
});
afterAll(() => billing?.stop());

const nowSeconds = () => Math.floor(Date.now() / 1000);
const sign = (rawBody: string, options: { secret?: string; timestamp?: number } = {}) =>
  billing.stripe.api.webhooks.generateTestHeaderString({
    payload: rawBody,
    secret: options.secret ?? STRIPE_WEBHOOK_SECRET,
    timestamp: options.timestamp ?? nowSeconds(),
  });
const event = (id: string, more: object = {}) =>
  JSON.stringify({
    id: `evt_${crypto.randomUUID()}`,
    object: 'event',
    type: 'customer.subscription.updated',
    account: billing.stripe.accountId,
    livemode: false,
    data: { object: { id, object: 'subscription' } },
    ...more,
  });
async function create() {
  const patient_id = await billing.patient();
  return createSubscription(app, { patient_id, price_ids: [await billing.stripe.price()] });
}
const stored = (rawBody: string) => app.db.inboundEvent.findFirst({ where: { id: JSON.parse(rawBody).id } });
const job = (rawBody: string) => ({ tenantId: billing.tenant.id, provider: 'stripe', id: JSON.parse(rawBody).id });

/** An event about a subscription that was paid while webhooks are held back; none arrives until the test ends. */
async function paidWithoutWebhook() {
  billing.stripe.hold(true);
  const subscription = await create();
  const before = billing.stripe.deliveries.length;
  await billing.stripe.pay(subscription);
  await expect.poll(() => billing.stripe.deliveries.length, { timeout: 10_000 }).toBeGreaterThan(before + 2);
  return { subscription, rawBody: event(subscription.id) };
}
const statusOf = async (id: string) => (await app.db.subscription.findFirstOrThrow({ where: { id } })).status;

describe('a Stripe webhook', () => {
  it('is stored and processed, and changes the status when its signature is valid', async () => {
    const { subscription, rawBody } = await paidWithoutWebhook();
    expect(await statusOf(subscription.id)).toBe('incomplete');
    await billing.stripe.deliver({ rawBody, signature: sign(rawBody) });
    expect(await statusOf(subscription.id)).toBe('active');
    expect(await stored(rawBody)).toMatchObject({
      objectId: subscription.id,
      processedAt: expect.any(Date),
      lastError: null,
    });
    expect((await getSubscription(app, subscription)).next_action).toBe('none');
  });

  it('is accepted from a clock that is slightly ahead', async () => {
    const { subscription, rawBody } = await paidWithoutWebhook();
    await billing.stripe.deliver({ rawBody, signature: sign(rawBody, { timestamp: nowSeconds() + 120 }) });
    expect(await statusOf(subscription.id)).toBe('active');
  });

  it('is rejected and not stored with a wrong, old, future, missing or reused signature', async () => {
    const { subscription, rawBody } = await paidWithoutWebhook();
    const signatures = [
      sign(rawBody, { secret: 'whsec_of_another_endpoint' }),
      sign(rawBody, { timestamp: nowSeconds() - 301 }),
      sign(rawBody, { timestamp: nowSeconds() + 310 }),
      sign(rawBody, { timestamp: nowSeconds() + 600 }),
      `t=${nowSeconds()},${sign(rawBody, { timestamp: nowSeconds() + 600 })}`,
      `${sign(rawBody, { timestamp: nowSeconds() + 600 })},t=${nowSeconds()}`,
      sign(event(subscription.id)),
      sign(rawBody).replace(/v1=/, 'v0='),
      't=1,v1=00',
      'nonsense',
      '',
    ];
    for (const signature of signatures)
      await expect(billing.stripe.deliver({ rawBody, signature })).rejects.toMatchObject({
        code: 'malformed_request',
        status: 400,
      });
    for (const changed of [`${rawBody} `, rawBody.replace('updated', 'deleted')])
      await expect(billing.stripe.deliver({ rawBody: changed, signature: sign(rawBody) })).rejects.toMatchObject({
        status: 400,
      });
    expect(await stored(rawBody)).toBeNull();
    expect(await statusOf(subscription.id)).toBe('incomplete');
  });

  it('is accepted when it is four minutes old', async () => {
    const { subscription, rawBody } = await paidWithoutWebhook();
    await billing.stripe.deliver({ rawBody, signature: sign(rawBody, { timestamp: nowSeconds() - 240 }) });
    expect(await statusOf(subscription.id)).toBe('active');
  });

  it('of another or no account, of live mode or of another type is acknowledged and ignored', async () => {
    const { subscription } = await paidWithoutWebhook();
    const others = [
      event(subscription.id, { account: 'acct_1Unknown' }),
      event(subscription.id, { account: undefined }),
      event(subscription.id, { livemode: true }),
      event(subscription.id, { type: 'charge.succeeded' }),
    ];
    for (const rawBody of others) {
      await billing.stripe.deliver({ rawBody, signature: sign(rawBody) });
      expect(await stored(rawBody)).toBeNull();
    }
    expect(await statusOf(subscription.id)).toBe('incomplete');
  });

  it('about an unknown subscription is stored and changes nothing', async () => {
    const on = { stripeAccount: billing.stripe.accountId };
    const customer = await billing.stripe.api.customers.create({ email: 'ben@example.test' }, on);
    const price = await billing.stripe.price();
    const theirs = await billing.stripe.api.subscriptions.create(
      { customer: customer.id, items: [{ price }], payment_behavior: 'default_incomplete' },
      on,
    );
    const rawBody = event(theirs.id);
    await billing.stripe.deliver({ rawBody, signature: sign(rawBody) });
    expect(await stored(rawBody)).toMatchObject({ processedAt: expect.any(Date) });
    expect(await app.db.subscription.count({ where: { id: theirs.id } })).toBe(0);
  });

  it('about a subscription that Stripe has deleted is processed, and not retried', async () => {
    const rawBody = event('sub_gonewithitsclock', { type: 'customer.subscription.deleted' });
    const seen = { accountId: billing.stripe.accountId, customerId: 'cus_gone', status: 'active', name: null };
    const times = { seenAt: new Date(), firstSeenAt: new Date() };
    const { id: tenantId } = billing.tenant;
    await app.db.unknownSubscription.create({ data: { tenantId, id: 'sub_gonewithitsclock', ...seen, ...times } });
    await billing.stripe.deliver({ rawBody, signature: sign(rawBody) });
    expect(await stored(rawBody)).toMatchObject({ processedAt: expect.any(Date), attempts: 0, lastError: null });
    expect(await app.db.unknownSubscription.count({ where: { id: 'sub_gonewithitsclock' } })).toBe(0);
  });

  it('about a subscription that was created at Stripe for a patient stores the subscription', async () => {
    const subscription = await create();
    const { customerId } = await app.db.processorCustomer.findFirstOrThrow({
      where: { patientId: subscription.patient_id },
    });
    const price = await billing.stripe.price();
    const theirs = await billing.stripe.api.subscriptions.create(
      { customer: customerId, items: [{ price }], payment_behavior: 'default_incomplete' },
      { stripeAccount: billing.stripe.accountId },
    );
    await expect
      .poll(() => app.db.subscription.findFirst({ where: { id: theirs.id } }), { timeout: 10_000 })
      .toMatchObject({ patientId: subscription.patient_id, createdByClientId: null, status: 'incomplete' });
  });

  it('is idempotent, and emits its notification once', async () => {
    const { subscription, rawBody } = await paidWithoutWebhook();
    const notice = event(subscription.id, { type: 'customer.subscription.trial_will_end' });
    for (const body of [rawBody, notice])
      await Promise.all(
        Array.from({ length: 6 }, () => billing.stripe.deliver({ rawBody: body, signature: sign(body) })),
      );
    const events = await app.db.event.findMany({ where: { objectId: subscription.id } });
    const topics = events.map(({ eventTopic }) => eventTopic);
    expect(topics.filter((topic) => topic === 'trial_will_end')).toHaveLength(1);
    expect(topics.filter((topic) => topic === 'activated')).toHaveLength(1);
  });

  it('is acknowledged and stored while Stripe is down, and processed by its job', async () => {
    const { subscription, rawBody } = await paidWithoutWebhook();
    billing.stripe.emulator.faults.add({ match: { path: '/v1/subscriptions/:id' }, kind: '503', times: 50 });
    await billing.stripe.deliver({ rawBody, signature: sign(rawBody) });
    expect(await stored(rawBody)).toMatchObject({ processedAt: null, attempts: 1, lastError: expect.any(String) });
    const pendingEvents = { tenantId: billing.tenant.id, objectId: subscription.id };
    await expect(applyStripeEvents(billing.services, pendingEvents)).rejects.toMatchObject({ status: 503 });
    billing.stripe.emulator.faults.clear();
    // As queued by an earlier release.
    await processStripeEvent(billing.services, job(rawBody));
    expect(await statusOf(subscription.id)).toBe('active');
    expect(await stored(rawBody)).toMatchObject({ processedAt: expect.any(Date), lastError: null });
  });
});
