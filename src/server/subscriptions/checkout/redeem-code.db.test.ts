import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asApplication, asPractitioner } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { createCallerFactory } from '#server/core/trpc.ts';
import { invalidatePlans } from '#server/plans/index.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { checkoutRouter, subscriptionsRouter } from '../router.ts';
import { createCheckoutLink } from './create-checkout-link.ts';
import { openCheckout } from './open-checkout.ts';
import { redeemCode } from './redeem-code.ts';

let billing: Clinic<'stripe'>;
let staff: Context;
let visitor: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  staff = asPractitioner(billing.services, billing.tenant);
  visitor = contextFor(billing.services, { kind: 'visitor', tenantId: billing.tenant.id });
});
afterAll(() => billing?.stop());

const checkout = createCallerFactory(checkoutRouter);
const subscriptions = createCallerFactory(subscriptionsRouter);
const rejected = (code: string, detail = /./) => ({
  cause: { code, faults: [{ detail: expect.stringMatching(detail) }] },
});

async function promotion(input: { off?: number; products?: string[]; firstTime?: boolean } = {}): Promise<string> {
  const on = { stripeAccount: billing.stripe.accountId };
  const coupon = await billing.stripe.api.coupons.create(
    {
      percent_off: input.off ?? 25,
      duration: 'once',
      ...(input.products && { applies_to: { products: input.products } }),
    },
    on,
  );
  const promotionCode = await billing.stripe.api.promotionCodes.create(
    {
      promotion: { type: 'coupon', coupon: coupon.id },
      ...(input.firstTime && { restrictions: { first_time_transaction: true } }),
    },
    on,
  );
  return promotionCode.code;
}

let sources = 0;

async function createWithLink(options: { trial?: string; codes?: boolean; as?: Context } = {}) {
  const { trial, codes: allow_promotion_codes = true, as = staff } = options;
  const patient_id = await billing.patient();
  const price = await billing.stripe.price({ ...(trial && { trial }) });
  const subscription = await subscriptions(as).create({ patient_id, price_ids: [price] });
  // Another address each time, because wrong codes are counted per source.
  const ctx = { ...visitor, ip: `203.0.113.${++sources}` };
  const link = async () =>
    (await createCheckoutLink(staff, { subscription_id: subscription.id, allow_promotion_codes })).url.split('#')[1]!;
  const token = await link();
  const redeem = (code: string, from = ctx) => checkout(from).redeemCode({ token, code });
  const open = () => checkout(ctx).open({ token });
  return { subscription, patient_id, token, redeem, open, ctx };
}
/** The view in the form that Stripe.js needs. */
const secretOf = (view: { next_action: string; client_secret: string | null }) => {
  const intent = { id: '', status: '', client_secret: view.client_secret! };
  return view.next_action === 'setup'
    ? { latest_invoice: null, pending_setup_intent: intent }
    : {
        latest_invoice: { id: '', status: 'open', amount_due: 0, currency: 'usd', payment_intent: intent },
        pending_setup_intent: null,
      };
};

describe('a promotion code on the payment page', () => {
  it('is accepted only where the link allows it, which may change while it is live', async () => {
    const { subscription, redeem, open } = await createWithLink({ codes: false });
    const code = await promotion();
    expect((await open()).takes_code).toBe(false);
    await expect(redeem(code)).rejects.toMatchObject(rejected('conflict'));
    const input = { subscription_id: subscription.id };
    expect(await createCheckoutLink(staff, { ...input, allow_promotion_codes: true })).toMatchObject({
      allow_promotion_codes: true,
    });
    expect(await createCheckoutLink(staff, input)).toMatchObject({ allow_promotion_codes: true });
    expect((await open()).takes_code).toBe(true);
  });

  it('is refused in words for a price that is not offered any more, which can still be paid', async () => {
    const { subscription, redeem, open } = await createWithLink();
    const code = await promotion();
    const price = subscription.items[0]!.price_id;
    await billing.stripe.api.prices.update(price, { active: false }, { stripeAccount: billing.stripe.accountId });
    await invalidatePlans(staff);
    await expect(redeem(code)).rejects.toMatchObject(rejected('promotion_code_invalid', /no longer offered/));
    expect(await open()).toMatchObject({ next_action: 'payment', takes_code: true });
  });

  it('reduces the amount due by creating the subscription again with it', async () => {
    const application = asApplication(billing.services, billing.tenant);
    const { subscription, patient_id, redeem, open } = await createWithLink({ as: application });
    const code = await promotion();
    const view = await redeem(code);
    expect(view).toMatchObject({ amount_due: 3675, plan_price: 4900, discount: { code }, takes_code: true });
    expect(await open()).toMatchObject({ amount_due: 3675 });
    const { items } = await subscriptions(application).list({ patient_id, size: 10 } as never);
    expect(items.map(({ id, status }) => [id === subscription.id, status])).toEqual([
      [false, 'incomplete'],
      [true, 'incomplete_expired'],
    ]);
    // The application that created the subscription may still let its own page pay.
    const current = await subscriptions(application).get({ id: items[0]!.id });
    expect(current.latest_invoice?.payment_intent?.client_secret).toBe(view.client_secret);
    expect((await billing.stripe.pay(secretOf(view))).status).toBe(200);
    expect(await open()).toMatchObject({ status: 'active', next_action: 'none', takes_code: false });
  });

  it('is redeemed when the page is reopened after Stripe failed between voiding the bill and canceling', async () => {
    const { patient_id, redeem, open } = await createWithLink();
    const code = await promotion();
    const match = { method: 'DELETE', path: '/v1/subscriptions/:id' };
    billing.stripe.emulator.faults.add({ match, kind: '500', times: 2 });
    await expect(redeem(code)).rejects.toMatchObject({ cause: { code: 'provider_error' } });
    billing.stripe.emulator.faults.clear();
    expect(await open()).toMatchObject({ amount_due: 3675, discount: { code }, next_action: 'payment' });
    const where = { patientId: patient_id, status: 'incomplete' };
    expect(await staff.db.subscription.count({ where })).toBe(1);
  });

  it('may be replaced by another code, and creates no second subscription when sent twice', async () => {
    const { patient_id, redeem } = await createWithLink();
    const [quarter, half] = [await promotion(), await promotion({ off: 50 })];
    expect((await redeem(quarter)).amount_due).toBe(3675);
    expect((await redeem(half)).amount_due).toBe(2450);
    expect((await redeem(half)).amount_due).toBe(2450);
    const live = await staff.db.subscription.count({ where: { patientId: patient_id, status: 'incomplete' } });
    expect(live).toBe(1);
  });

  it('applies to the first bill of a trial, which the page shows', async () => {
    const { subscription, redeem, open } = await createWithLink({ trial: '7' });
    expect(await open()).toMatchObject({ takes_code: true, next_bill: { amount_due: 4900 } });
    const view = await redeem(await promotion());
    expect(view).toMatchObject({ next_action: 'setup', amount_due: 0, next_bill: { amount_due: 3675 } });
    const row = await staff.db.subscription.findFirstOrThrow({ where: { id: subscription.id } });
    expect(row.status).toBe('trialing');
  });

  it('that makes the subscription free still leaves a card to save', async () => {
    const { redeem, open } = await createWithLink();
    const view = await redeem(await promotion({ off: 100 }));
    expect(view).toMatchObject({ status: 'active', next_action: 'setup', amount_due: 0 });
    expect(view.next_bill).toMatchObject({ amount_due: 4900 });
    await billing.stripe.pay(secretOf(view));
    expect(await open()).toMatchObject({ status: 'active', next_action: 'none' });
  });

  it('changes nothing and gives the reason when it is unknown or does not apply', async () => {
    const { subscription, patient_id, redeem, open } = await createWithLink();
    const { client_secret } = await open();
    const product = await billing.stripe.api.products.create(
      { name: 'Other' },
      { stripeAccount: billing.stripe.accountId },
    );
    const first = await promotion({ firstTime: true });
    await staff.db.payment.create({
      data: {
        ...{ tenantId: billing.tenant.id, id: 'in_before', accountId: billing.stripe.accountId, patientId: patient_id },
        ...{ subscriptionId: 'sub_before', status: 'paid', currency: 'usd', subtotal: 1n, discount: 0n, tax: 0n },
        ...{ total: 1n, amountDue: 1n, amountPaid: 1n, amountRemaining: 0n, amountRefunded: 0n, updatedAt: new Date() },
        ...{ periodStart: new Date(), periodEnd: new Date(), createdAt: new Date() },
      },
    });
    await expect(redeem('NOSUCHCODE')).rejects.toMatchObject(rejected('promotion_code_invalid', /unknown/));
    await expect(redeem(await promotion({ products: [product.id] }))).rejects.toMatchObject(
      rejected('promotion_code_invalid', /not for this plan/),
    );
    await expect(redeem(first)).rejects.toMatchObject(rejected('promotion_code_invalid', /first payment/));
    expect(await open()).toMatchObject({ client_secret, amount_due: 4900, discount: null });
    expect((await staff.db.subscription.findFirstOrThrow({ where: { id: subscription.id } })).status).toBe(
      'incomplete',
    );
  });

  it('can be guessed at most ten times a minute per link, from any source', async () => {
    const { redeem, ctx } = await createWithLink();
    const outcomes: string[] = [];
    for (let n = 0; n < 12; n++)
      await redeem(`GUESS${n}`, { ...ctx, ip: `198.51.100.${n + 1}` }).catch((error) =>
        outcomes.push(error.cause.code),
      );
    expect(outcomes).toEqual([...Array(10).fill('promotion_code_invalid'), 'rate_limited', 'rate_limited']);
  });

  it('is finished when the page is reopened after the service ended half way', async () => {
    const { subscription, token, open, redeem } = await createWithLink();
    const code = await promotion();
    // The previous subscription is ended, and Stripe fails to create the new one.
    const match = { method: 'POST', path: '/v1/subscriptions' };
    billing.stripe.emulator.faults.add({ match, kind: '503', times: 20 });
    await expect(redeem(code)).rejects.toMatchObject(rejected('provider_unavailable'));
    billing.stripe.emulator.faults.clear();
    expect(await open()).toMatchObject({ status: 'incomplete', next_action: 'payment', amount_due: 3675 });
    const link = await staff.db.checkoutLink.findFirstOrThrow({ where: { patientId: subscription.patient_id } });
    expect(await staff.db.subscription.findFirst({ where: { id: subscription.id } })).toMatchObject({
      ...{ promotionCode: null, replacedBy: link.subscriptionId },
    });
    expect(await createCheckoutLink(staff, { subscription_id: link.subscriptionId })).toMatchObject({
      url: expect.stringContaining(token),
    });
  });

  it('that Stripe deactivates leaves the subscription payable as it was', async () => {
    const { ctx, token } = await createWithLink();
    const code = await promotion();
    expect(await checkout(ctx).open({ token })).toMatchObject({ amount_due: 4900 });
    const [promotionCode] = (
      await billing.stripe.api.promotionCodes.list({ code }, { stripeAccount: billing.stripe.accountId })
    ).data;
    const input = { token };
    // Deactivated just as the previous subscription is ended: creating the next one is rejected.
    const match = { method: 'POST', path: '/v1/subscriptions' };
    const late = redeemCode(ctx, { token, code }, async (patient, input) => {
      if (input.promotion_code === code) {
        billing.stripe.emulator.faults.add({ match, kind: '503', times: 20 });
        await createSubscription(patient, input).catch(() => {});
        billing.stripe.emulator.faults.clear();
        await billing.stripe.api.promotionCodes.update(
          promotionCode!.id,
          { active: false },
          { stripeAccount: billing.stripe.accountId },
        );
      }
      return createSubscription(patient, input);
    });
    await expect(late).rejects.toMatchObject({ code: 'promotion_code_invalid' });
    expect(await openCheckout(ctx, input, createSubscription)).toMatchObject({
      status: 'incomplete',
      next_action: 'payment',
      amount_due: 4900,
      discount: null,
    });
  });
});
