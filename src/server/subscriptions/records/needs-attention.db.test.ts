import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needsAttention } from '#contract/needs-attention.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { asApplication, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context } from '#server/core/context.ts';
import { createPatient } from '#server/patients/create-patient.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { getSubscription } from '../sync/get-subscription.ts';
import { listSubscriptions } from './list-subscriptions.ts';

const DAY_MS = 24 * 3_600_000;
const WITHIN = { timeout: 10_000 };
let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
const idsOf = async (filter: Parameters<typeof listSubscriptions>[1], ctx = app) =>
  (await listSubscriptions(ctx, { size: 1000, ...filter })).items.map(({ id }) => id);
const isListed = async (id: string) => (await idsOf({ needs_attention: true })).includes(id);

async function active(options: Parameters<Clinic<'stripe'>['stripe']['price']>[0] = {}) {
  const price = await billing.stripe.price(options);
  const created = await createSubscription(app, { patient_id: await billing.patient(), price_ids: [price] });
  await billing.stripe.pay(created);
  const expectedStatus = options.trial ? 'trialing' : 'active';
  const state = async () => {
    const { status, payment_method } = await getSubscription(app, created);
    return [status, payment_method?.last4];
  };
  await expect.poll(state, WITHIN).toEqual([expectedStatus, '4242']);
  return { ...created, price };
}

describe('needs_attention', () => {
  it('is found by the database for exactly the rows that `needsAttention` reports', async () => {
    const otherTenant = asApplication(billing.services, await makeTenant(billing.services));
    const { id: patientId } = await createPatient(otherTenant, { first_name: 'Ada' });
    const now = Date.now();
    const days = (n: number | null) => (n === null ? null : new Date(now + n * DAY_MS));
    const cardOf = (n: number | 'none') => {
      if (n === 'none') return null;
      const end = new Date(now + n * DAY_MS);
      return { exp_month: end.getUTCMonth() + 1, exp_year: end.getUTCFullYear() };
    };
    const statuses = [
      'incomplete',
      'incomplete_expired',
      'trialing',
      'active',
      'past_due',
      'canceled',
      'unpaid',
      'paused',
    ];
    const rows = statuses.flatMap((status) =>
      ([-40, 0, 20, 90, 'none'] as const).flatMap((card) =>
        [3, 6.9, 7.1, 20].flatMap((end) =>
          [null, end, end + 40].map((cancel) => ({ status, card: cardOf(card), end, cancel })),
        ),
      ),
    );
    await otherTenant.db.subscription.createMany({
      data: rows.map(({ status, card, end, cancel }, n) => ({
        id: `sub_grid${n}`,
        tenantId: otherTenant.tenantId,
        accountId: 'acct_grid',
        patientId,
        status,
        currency: 'usd',
        trialEnd: status === 'trialing' ? days(end) : null,
        currentPeriodEnd: days(end),
        cancelAt: days(cancel),
        paymentMethodKnown: true,
        ...(card && { paymentMethod: { id: 'pm_1', type: 'card', brand: 'visa', last4: '4242', ...card } }),
      })),
    });
    const { items } = await listSubscriptions(otherTenant, { size: 1000 });
    const expected = items.filter((one: SubscriptionView) => needsAttention(one, now)).map(({ id }) => id);
    expect(await idsOf({ needs_attention: true }, otherTenant)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(100);
    const others = await idsOf({ needs_attention: false }, otherTenant);
    expect([...expected, ...others].sort()).toEqual(items.map(({ id }) => id).sort());
    // While the payment method is unknown, a subscription is not reported as having no card.
    await otherTenant.db.subscription.updateMany({ where: { status: 'paused' }, data: { paymentMethodKnown: false } });
    const paused = await listSubscriptions(otherTenant, { size: 1000, needs_attention: true, status: ['paused'] });
    expect(paused.items.every((one) => one.payment_method !== null)).toBe(true);
  });

  it('is set for an unpaid bill, an expiring card, and a trial that ends without a card', async () => {
    const unpaid = await createSubscription(app, {
      patient_id: await billing.patient(),
      price_ids: [await billing.stripe.price()],
    });
    const ending = await createSubscription(app, {
      patient_id: await billing.patient(),
      price_ids: [await billing.stripe.price({ trial: '5' })],
    });
    const later = await createSubscription(app, {
      patient_id: await billing.patient(),
      price_ids: [await billing.stripe.price({ trial: '20' })],
    });
    const fine = await active();
    const listedIds = await idsOf({ needs_attention: true });
    expect(listedIds).toEqual(expect.arrayContaining([unpaid.id, ending.id]));
    expect(listedIds).not.toContain(later.id);
    expect(listedIds).not.toContain(fine.id);
    await billing.stripe.pay(ending);
    await expect.poll(() => isListed(ending.id), WITHIN).toBe(false);
  });

  it('follows changes of the card at Stripe, of the subscription or of the customer', async () => {
    const { id } = await active();
    const { payment_method } = await getSubscription(app, { id });
    const next = new Date(Date.now() + 10 * DAY_MS);
    const card = { exp_month: next.getUTCMonth() + 1, exp_year: next.getUTCFullYear() };
    await billing.stripe.api.paymentMethods.update(payment_method!.id, { card }, on());
    const stored = async () =>
      (await app.db.subscription.findFirstOrThrow({ where: { id } }))
        .paymentMethod as SubscriptionView['payment_method'];
    await expect.poll(async () => (await stored())?.exp_year, WITHIN).toBe(card.exp_year);

    // Another card of the customer, after the subscription's own card is gone.
    const { customer } = await billing.stripe.api.subscriptions.retrieve(id, {}, on());
    const other = await billing.stripe.api.paymentMethods.attach(
      'pm_card_mastercard',
      { customer: customer as string },
      on(),
    );
    await billing.stripe.api.customers.update(
      customer as string,
      { invoice_settings: { default_payment_method: other.id } },
      on(),
    );
    expect((await stored())?.last4).toBe('4242');
    await billing.stripe.api.paymentMethods.detach(payment_method!.id, {}, on());
    await expect.poll(async () => (await stored())?.last4, WITHIN).toBe('4444');
    const events = await app.db.auditEntry.findMany({ where: { objectId: id, action: 'subscriptions.sync' } });
    expect(JSON.stringify(events.map(({ details }) => details))).toContain('paymentMethod');
  });
});

describe('a list of subscriptions', () => {
  it('is filtered by several statuses and by a price at any position', async () => {
    const one = await active();
    const other = await createSubscription(app, {
      patient_id: await billing.patient(),
      price_ids: [one.price, await billing.stripe.price()],
    });
    expect((await idsOf({ price_id: one.price })).sort()).toEqual([one.id, other.id].sort());
    expect(await idsOf({ price_id: one.price, status: ['incomplete', 'past_due'] })).toEqual([other.id]);
    expect(await idsOf({ price_id: one.price, needs_attention: true })).toEqual([other.id]);
    expect(await idsOf({ price_id: 'price_unknown' })).toEqual([]);
    const first = await listSubscriptions(app, { price_id: one.price, size: 1 });
    const second = await listSubscriptions(app, { price_id: one.price, size: 1, starting_after: first.next! });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual([other.id, one.id]);
    expect(second.next).toBeNull();
  });
});
