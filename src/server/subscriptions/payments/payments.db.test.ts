import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { CARD } from '#dev/testing/billing.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { seededRandom } from '#dev/testing/seed.ts';
import type { Context } from '#server/core/context.ts';
import { getPromotionCode } from '#server/plans/plan.ts';
import { applyStripeEvents } from '#server/subscriptions/stripe-events/apply-stripe-events.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { getPayment, listPayments } from './list-payments.ts';
import { syncPayments } from './sync-payments.ts';

const DAY = 24 * 3600;
const WITHIN = { timeout: 10_000 };
let billing: Clinic<'stripe'>;
let app: Context;
const calls: string[] = [];
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
  const stripe = billing.services.providers.stripe();
  stripe.on('request', ({ method, path }: { method: string; path: string }) => calls.push(`${method} ${path}`));
});
afterEach(() => billing.stripe.hold(false));
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
async function create(options: Parameters<Clinic<'stripe'>['stripe']['price']>[0] = {}, promotion_code?: string) {
  const patient_id = await billing.patient();
  const price_ids = [await billing.stripe.price(options)];
  return createSubscription(app, { patient_id, price_ids, ...(promotion_code && { promotion_code }) });
}
const paymentsOf = async (subscription_id: string) => (await listPayments(app, { subscription_id })).items;
const eventsOf = async (objectId: string, topics = ['payment_succeeded', 'refunded', 'disputed']) =>
  app.db.event.findMany({ where: { objectId, eventTopic: { in: topics } }, orderBy: { position: 'asc' } });
async function paid(card?: string) {
  const subscription = await create();
  await billing.stripe.pay(subscription, card);
  await expect.poll(async () => (await paymentsOf(subscription.id))[0]?.status, WITHIN).toBe('paid');
  return { subscription, payment: (await paymentsOf(subscription.id))[0]! };
}

describe('a payment', () => {
  it('is stored to the cent with its links, and emits one event when it is paid', async () => {
    const coupon = await billing.stripe.api.coupons.create({ percent_off: 15, duration: 'once' }, on());
    const promotion = { type: 'coupon' as const, coupon: coupon.id };
    await billing.stripe.api.promotionCodes.create({ code: 'FIFTEEN', promotion }, on());
    const subscription = await create({ unit_amount: 4999 }, 'FIFTEEN');
    await expect.poll(async () => (await paymentsOf(subscription.id))[0]?.status, WITHIN).toBe('open');
    expect(await eventsOf(subscription.id)).toEqual([]);
    await billing.stripe.pay(subscription);
    await expect.poll(async () => (await paymentsOf(subscription.id))[0]?.status, WITHIN).toBe('paid');
    const [payment, ...others] = await paymentsOf(subscription.id);
    expect(others).toEqual([]);
    // 15 % of 49.99 are 7.4985, which Stripe rounds to 7.50.
    expect(payment).toMatchObject({
      id: subscription.latest_invoice!.id,
      subscription_id: subscription.id,
      patient_id: subscription.patient_id,
      currency: 'usd',
      subtotal: 4999,
      discount: 750,
      tax: 0,
      total: 4249,
      amount_due: 4249,
      amount_paid: 4249,
      amount_remaining: 0,
      amount_refunded: 0,
      billing_reason: 'subscription_create',
      failure: null,
      refunds: [],
      disputes: [],
    });
    for (const link of [payment!.invoice_url, payment!.pdf_url, payment!.receipt_url]) expect(link).toMatch(/^http/);
    await expect.poll(async () => (await eventsOf(subscription.id)).length, WITHIN).toBe(1);
    const [event] = await eventsOf(subscription.id);
    expect(event).toMatchObject({
      eventTopic: 'payment_succeeded',
      authorType: 'System',
      patientId: subscription.patient_id,
    });
    expect(event!.payload).toMatchObject({ id: subscription.id, payment: { id: payment!.id, amount_paid: 4249 } });
    expect(JSON.stringify(event!.payload)).not.toMatch(/receipt|(?<!script)_url|secret/);
    expect(await getPayment(app, { id: payment!.id })).toEqual(payment);
  });

  it('has a row per period with the reason of the last failure; the zero bill of a trial emits no event', async () => {
    const subscription = await create({ trial: '3' });
    await billing.stripe.pay(subscription, CARD.failsLater);
    await expect.poll(async () => (await paymentsOf(subscription.id))[0]?.status, WITHIN).toBe('paid');
    expect((await paymentsOf(subscription.id))[0]).toMatchObject({ total: 0, amount_paid: 0 });
    await billing.stripe.control('clock', { advance_seconds: 3 * DAY + 7200 });
    await expect.poll(async () => (await paymentsOf(subscription.id))[0]?.attempt_count, WITHIN).toBeGreaterThan(0);
    const [failing, first] = await paymentsOf(subscription.id);
    expect(failing).toMatchObject({ status: 'open', amount_remaining: 4900, paid_at: null });
    expect(failing!.failure).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    expect(first!.total).toBe(0);
    expect(await eventsOf(subscription.id)).toEqual([]);
    const tries = async () =>
      app.db.auditEntry.findMany({ where: { objectId: subscription.id, event: 'subscription.payment_failed' } });
    await expect.poll(async () => (await tries()).length, WITHIN).toBeGreaterThan(0);
    expect((await tries())[0]!.details).toMatchObject({
      payment_id: failing!.id,
      attempt: 1,
      reason: failing!.failure!.code,
    });
  });

  it('emits its events in order: a failure before the payment', async () => {
    billing.stripe.hold(true);
    const subscription = await create();
    await billing.stripe.pay(subscription, CARD.declined).catch(() => {});
    await billing.stripe.pay(subscription);
    const ownDeliveries = billing.stripe.deliveries.filter(({ rawBody }) => rawBody.includes(subscription.id));
    for (const one of ownDeliveries.toReversed()) await billing.stripe.store(one);
    await applyStripeEvents(billing.services, { tenantId: app.tenantId, objectId: subscription.id });
    const topics = (await eventsOf(subscription.id, ['payment_failed', 'payment_succeeded'])).map(
      ({ eventTopic }) => eventTopic,
    );
    expect(topics).toEqual(['payment_failed', 'payment_succeeded']);
  });

  it('keeps a refund that is being read while an invoice event is processed', async () => {
    const { subscription, payment } = await paid();
    billing.stripe.hold(true);
    const { paymentIntentIds } = await app.db.payment.findFirstOrThrow({ where: { id: payment.id } });
    await billing.stripe.api.refunds.create({ payment_intent: paymentIntentIds[0]!, amount: 1234 }, on());
    let isFirst = true;
    const pace = async () => {
      if (isFirst) await syncPayments(app, subscription.id, { invoicesOnly: true });
      isFirst = false;
    };
    await syncPayments({ ...app, pace }, subscription.id);
    expect((await paymentsOf(subscription.id))[0]).toMatchObject({
      amount_refunded: 1234,
      refunds: [{ amount: 1234 }],
    });
  });

  it('matches Stripe for any order of events, and lists never call Stripe', async () => {
    billing.stripe.hold(true);
    const subscription = await create();
    await billing.stripe.pay(subscription);
    const { payment_intent } = (await billing.stripe.api.charges.list({ limit: 1 }, on())).data[0]!;
    await billing.stripe.api.refunds.create({ payment_intent: payment_intent as string, amount: 1234 }, on());
    const ownDeliveries = () =>
      billing.stripe.deliveries.filter(
        ({ rawBody }) => rawBody.includes(String(payment_intent)) || rawBody.includes(subscription.id),
      );
    await expect.poll(() => ownDeliveries().some(({ type }) => type === 'charge.refunded'), WITHIN).toBe(true);
    billing.stripe.hold(false);
    const next = seededRandom(7);
    for (const delivery of [...ownDeliveries(), ...ownDeliveries()].sort(() => next() - 0.5))
      await billing.stripe.deliver(delivery);
    calls.length = 0;
    const [payment] = await paymentsOf(subscription.id);
    expect(calls).toEqual([]);
    expect(payment).toMatchObject({ status: 'paid', amount_paid: 4900, amount_refunded: 1234 });
    expect(payment!.refunds).toMatchObject([{ amount: 1234, status: 'succeeded' }]);
    const topics = (await eventsOf(subscription.id)).map(({ eventTopic, authorType }) => [eventTopic, authorType]);
    expect(topics).toEqual([
      ['payment_succeeded', 'System'],
      ['refunded', 'System'],
    ]);
  });

  it('emits one event for a dispute; the decision of the bank is an update', async () => {
    const { subscription, payment } = await paid('4000000000000259');
    await expect.poll(async () => (await eventsOf(subscription.id, ['disputed'])).length, WITHIN).toBe(1);
    const [dispute] = (await getPayment(app, payment)).disputes;
    expect(dispute).toMatchObject({ amount: 4900, reason: 'fraudulent', status: 'needs_response' });
    const evidence = { uncategorized_text: 'winning_evidence' };
    await billing.stripe.api.disputes.update(dispute!.id, { evidence }, on());
    await expect.poll(async () => (await getPayment(app, payment)).disputes[0]!.status, WITHIN).toBe('won');
    expect(await eventsOf(subscription.id, ['disputed'])).toHaveLength(1);
  });

  it('from before its subscription was stored emits no event', async () => {
    billing.stripe.hold(true);
    const subscription = await create();
    await billing.stripe.pay(subscription);
    const later = new Date(Date.now() + 3600_000 * 24 * 400);
    await app.db.subscription.updateMany({ where: { id: subscription.id }, data: { createdAt: later } });
    await syncPayments(app, subscription.id);
    expect(await paymentsOf(subscription.id)).toMatchObject([{ status: 'paid' }]);
    expect(await eventsOf(subscription.id)).toEqual([]);
  });

  it('without a subscription is ignored, and its events are closed', async () => {
    const other = { id: 'evt_other', tenantId: billing.tenant.id, provider: 'stripe' };
    await app.db.inboundEvent.create({
      data: { ...other, eventType: 'refund.created', objectId: 'pi_other', accountId: billing.stripe.accountId },
    });
    await applyStripeEvents(billing.services, { tenantId: billing.tenant.id, objectId: 'pi_other' });
    expect((await app.db.inboundEvent.findFirstOrThrow({ where: other })).processedAt).not.toBeNull();
  });
});

describe('listing payments', () => {
  it('filters by patient, subscription and status, in pages, within the access of the caller', async () => {
    const { subscription, payment } = await paid();
    const open = await createSubscription(app, {
      patient_id: subscription.patient_id,
      price_ids: [await billing.stripe.price()],
    });
    await expect.poll(async () => (await paymentsOf(open.id)).length, WITHIN).toBe(1);
    const own = asPatient(billing.services, billing.tenant, subscription.patient_id);
    const query = { patient_id: subscription.patient_id };
    const all = (await listPayments(own, query)).items;
    expect(all.map(({ subscription_id }) => subscription_id).sort()).toEqual([subscription.id, open.id].sort());
    expect((await listPayments(app, { ...query, status: ['paid'] })).items).toEqual([payment]);
    const first = await listPayments(app, { ...query, size: 1 });
    const second = await listPayments(app, { ...query, size: 1, starting_after: first.next! });
    expect([...first.items, ...second.items]).toEqual(all);
    expect(second.next).toBeNull();
    await expect(listPayments(own, {})).rejects.toMatchObject({ code: 'forbidden' });
    const other = asPatient(billing.services, billing.tenant, await billing.patient());
    await expect(listPayments(other, query)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(getPayment(other, payment)).rejects.toMatchObject({ code: 'not_found' });
    const otherTenant = asApplication(billing.services, await makeTenant(billing.services));
    await expect(getPayment(otherTenant, payment)).rejects.toMatchObject({ code: 'not_found' });
    expect((await listPayments(otherTenant, query)).items).toEqual([]);
    const without = asApplication(billing.services, billing.tenant, ['payments:refund']);
    await expect(listPayments(without, query)).rejects.toMatchObject({ code: 'forbidden' });
    expect((await listPayments(asPractitioner(billing.services, billing.tenant), query)).items).toEqual(all);
  });
});

describe('a promotion code that a patient looks up', () => {
  it('applies only when it is open to that patient', async () => {
    const subscription = await create();
    const first = subscription.patient_id;
    const { customerId: customer } = await app.db.processorCustomer.findFirstOrThrow({ where: { patientId: first } });
    const coupon = await billing.stripe.api.coupons.create({ percent_off: 20, duration: 'once' }, on());
    const promotion = { type: 'coupon' as const, coupon: coupon.id };
    const restrictions = { first_time_transaction: true };
    await billing.stripe.api.promotionCodes.create({ code: 'FIRSTBUY', promotion, restrictions }, on());
    await billing.stripe.api.promotionCodes.create({ code: 'FORONE', promotion, customer }, on());
    const { price_ids } = subscription;
    const applies = async (code: string, patient_id: string) =>
      (await getPromotionCode(asPatient(billing.services, billing.tenant, patient_id), { code, price_ids })).applies;
    const other = await billing.patient();
    expect([await applies('FIRSTBUY', first), await applies('FORONE', first)]).toEqual([true, true]);
    expect([await applies('FIRSTBUY', other), await applies('FORONE', other)]).toEqual([true, false]);
    await billing.stripe.pay(subscription);
    await expect.poll(() => applies('FIRSTBUY', first), WITHIN).toBe(false);
    expect(await getPromotionCode(app, { code: 'FIRSTBUY', price_ids })).toMatchObject({ applies: true });
  });
});
