import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import type { CarelaneError } from '#server/core/errors.ts';
import { createCallerFactory } from '#server/core/trpc.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { checkoutRouter, subscriptionsRouter } from '../router.ts';
import { redeemSubscriptionCode } from './redeem-code.ts';

let billing: Clinic<'stripe'>;
let staff: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  staff = asPractitioner(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

const subscriptions = createCallerFactory(subscriptionsRouter);
const rejected = (code: string, pointer?: string) => ({
  cause: { code, faults: [pointer ? { source: { pointer } } : {}] },
});

const on = () => ({ stripeAccount: billing.stripe.accountId });

async function promotion(percent_off = 25, more: Partial<Stripe.PromotionCodeCreateParams> = {}): Promise<string> {
  const coupon = await billing.stripe.api.coupons.create({ percent_off, duration: 'once' }, on());
  const promotion = { type: 'coupon', coupon: coupon.id } as const;
  return (await billing.stripe.api.promotionCodes.create({ ...more, promotion }, on())).code;
}

async function switchOff(code: string): Promise<void> {
  const [promotionCode] = (await billing.stripe.api.promotionCodes.list({ code }, on())).data;
  await billing.stripe.api.promotionCodes.update(promotionCode!.id, { active: false }, on());
}

/** The previous subscription is ended, and Stripe fails to create the new one. */
async function endHalfWay(redeem: () => Promise<unknown>): Promise<void> {
  const match = { method: 'POST', path: '/v1/subscriptions' };
  billing.stripe.emulator.faults.add({ match, kind: '503', times: 20 });
  await expect(redeem()).rejects.toThrow();
  billing.stripe.emulator.faults.clear();
}

const liveOf = async (patientId: string): Promise<string[]> => {
  const where = { patientId, status: { in: ['incomplete', 'active', 'trialing'] } };
  return (await staff.db.subscription.findMany({ where, orderBy: { createdAt: 'asc' } })).map(({ id }) => id);
};

async function createForPatient({ allow = true, trial }: { allow?: boolean; trial?: string } = {}) {
  const patient_id = await billing.patient();
  const price = await billing.stripe.price({ ...(trial && { trial }) });
  const patient = subscriptions(asPatient(billing.services, billing.tenant, patient_id));
  const subscription = await patient.create({
    ...{ patient_id, price_ids: [price] },
    ...(allow && { allow_promotion_codes: true }),
  });
  return { subscription, patient, patient_id };
}
const openPage = (url: string) =>
  createCallerFactory(checkoutRouter)(
    contextFor(billing.services, { kind: 'visitor', tenantId: billing.tenant.id }),
  ).open({ token: url.split('#')[1]! });

describe('allow_promotion_codes', () => {
  it('is stored, and the payment page accepts a code unless the link says otherwise', async () => {
    const { subscription } = await createForPatient();
    expect(subscription).toMatchObject({ allow_promotion_codes: true, replaced_by: null });
    const link = await subscriptions(staff).createCheckoutLink({ subscription_id: subscription.id });
    expect(link.allow_promotion_codes).toBe(true);
    expect((await openPage(link.url)).takes_code).toBe(true);
    const plain = { subscription_id: subscription.id, allow_promotion_codes: false };
    expect((await subscriptions(staff).createCheckoutLink(plain)).allow_promotion_codes).toBe(false);
  });

  it('allows the patient to redeem a code; without it only staff and applications may', async () => {
    const code = await promotion();
    const { subscription, patient } = await createForPatient({ allow: false });
    expect(subscription.allow_promotion_codes).toBe(false);
    await expect(patient.update({ id: subscription.id, promotion_code: code })).rejects.toMatchObject(
      rejected('forbidden', '/promotion_code'),
    );
    expect(await subscriptions(staff).update({ id: subscription.id, promotion_code: code })).toMatchObject({
      discount: { code },
    });
  });
});

describe('a promotion code redeemed by PATCH', () => {
  it('creates an unpaid subscription again, once, and points the payment link to it', async () => {
    const { subscription, patient, patient_id } = await createForPatient();
    const { url } = await subscriptions(staff).createCheckoutLink({ subscription_id: subscription.id });
    const code = await promotion();
    const changed = await patient.update({ id: subscription.id, promotion_code: code });
    expect(changed).toMatchObject({
      ...{ status: 'incomplete', discount: { code }, allow_promotion_codes: true },
      latest_invoice: { amount_due: 3675, payment_intent: { client_secret: expect.any(String) } },
    });
    expect(changed.id).not.toBe(subscription.id);
    expect(await patient.get({ id: subscription.id })).toMatchObject({
      ...{ status: 'incomplete_expired', replaced_by: changed.id },
    });
    expect((await patient.update({ id: subscription.id, promotion_code: code })).id).toBe(changed.id);
    expect((await openPage(url)).amount_due).toBe(3675);
    const newLink = await subscriptions(staff).createCheckoutLink({ subscription_id: changed.id });
    expect(newLink.url).toBe(url);
    expect((await billing.stripe.pay(changed)).status).toBe(200);
    await expect.poll(async () => (await patient.get({ id: changed.id })).status).toBe('active');
    expect(await staff.db.subscription.count({ where: { patientId: patient_id } })).toBe(2);
    await expect(patient.update({ id: subscription.id, promotion_code: await promotion() })).rejects.toMatchObject(
      rejected('conflict', '/promotion_code'),
    );
  });

  it('applies to the first bill of a trial, which keeps its id, also after a card is saved', async () => {
    const { subscription, patient } = await createForPatient({ trial: '7' });
    const [code, other] = [await promotion(), await promotion(50)];
    expect(await patient.update({ id: subscription.id, promotion_code: code })).toMatchObject({
      ...{ id: subscription.id, status: 'trialing', discount: { code }, replaced_by: null },
    });
    await billing.stripe.pay(subscription);
    await expect.poll(async () => (await patient.get({ id: subscription.id })).next_action).toBe('none');
    expect(await patient.update({ id: subscription.id, promotion_code: other })).toMatchObject({
      ...{ id: subscription.id, status: 'trialing', discount: { code: other } },
    });
  });

  it('is finished by a repeat of an interrupted request, or replaced by one with another code', async () => {
    for (const isSame of [true, false]) {
      const { subscription, patient, patient_id } = await createForPatient();
      const [code, other] = [await promotion(), await promotion(50)];
      await endHalfWay(() => patient.update({ id: subscription.id, promotion_code: code }));
      const requestedCode = isSame ? code : other;
      expect(await patient.update({ id: subscription.id, promotion_code: requestedCode })).toMatchObject({
        ...{ status: 'incomplete', discount: { code: requestedCode } },
      });
      expect(await liveOf(patient_id)).toHaveLength(1);
    }
  });

  it('is found by another caller when an interrupted request used it up', async () => {
    const { subscription, patient_id } = await createForPatient();
    const { url } = await subscriptions(staff).createCheckoutLink({ subscription_id: subscription.id });
    const code = await promotion(25, { max_redemptions: 1 });
    const { id } = await subscriptions(staff).update({ id: subscription.id, promotion_code: code });
    // The state when the process ends after creating the replacement and before updating the payment link.
    const own = { tenantId: billing.tenant.id };
    const half = { promotionCode: code, promotionCodeAt: new Date(Date.now() - 60_000), replacedBy: null };
    await staff.db.subscription.updateMany({ where: { ...own, id: subscription.id }, data: half });
    await staff.db.checkoutLink.updateMany({
      where: { ...own, subscriptionId: id },
      data: { subscriptionId: subscription.id },
    });
    expect(await openPage(url)).toMatchObject({ next_action: 'payment', amount_due: 3675 });
    expect(await liveOf(patient_id)).toEqual([id]);
  });

  it('does not bring back a subscription that was canceled or paid after a failed request', async () => {
    for (const isPaid of [true, false]) {
      const { subscription, patient, patient_id } = await createForPatient();
      const { url } = await subscriptions(staff).createCheckoutLink({ subscription_id: subscription.id });
      const code = await promotion();
      await staff.db.subscription.updateMany({ where: { id: subscription.id }, data: { promotionCode: code } });
      if (isPaid) {
        await billing.stripe.pay(subscription);
        await expect.poll(async () => (await patient.get({ id: subscription.id })).status).toBe('active');
      }
      await subscriptions(staff).cancel({ id: subscription.id });
      expect(await openPage(url)).toMatchObject({ next_action: 'none', client_secret: null });
      await expect(patient.update({ id: subscription.id, promotion_code: code })).rejects.toMatchObject(
        rejected('already_canceled'),
      );
      expect(await liveOf(patient_id)).toEqual([]);
    }
  });

  it('is replaced by another code two minutes after a failed request', async () => {
    const { subscription, patient } = await createForPatient();
    const [code, other] = [await promotion(), await promotion(50)];
    const heldFor = (minutes: number) =>
      staff.db.subscription.updateMany({
        where: { id: subscription.id },
        data: { promotionCode: code, promotionCodeAt: new Date(Date.now() - minutes * 60_000) },
      });
    await heldFor(1);
    await expect(patient.update({ id: subscription.id, promotion_code: other })).rejects.toMatchObject(
      rejected('conflict'),
    );
    await heldFor(3);
    expect(await patient.update({ id: subscription.id, promotion_code: other })).toMatchObject({
      discount: { code: other },
    });
  });

  it('changes nothing when it belongs to another customer, and the next code counts', async () => {
    const { subscription: others } = await createForPatient();
    const { customer } = await billing.stripe.api.subscriptions.retrieve(others.id, {}, on());
    const reserved = await promotion(25, { customer: customer as string });
    const { subscription, patient } = await createForPatient();
    await expect(patient.update({ id: subscription.id, promotion_code: reserved })).rejects.toMatchObject(
      rejected('promotion_code_invalid', '/promotion_code'),
    );
    expect(await patient.get({ id: subscription.id })).toMatchObject({ status: 'incomplete', replaced_by: null });
    const code = await promotion();
    expect(await patient.update({ id: subscription.id, promotion_code: code })).toMatchObject({ discount: { code } });
  });

  it('changes nothing when Stripe rejects it before anything was ended', async () => {
    const { subscription, patient_id } = await createForPatient();
    const code = await promotion();
    const late = redeemSubscriptionCode(staff, { id: subscription.id, promotion_code: code }, async (ctx, input) => {
      await switchOff(code);
      return createSubscription(ctx, input);
    });
    await expect(late).rejects.toMatchObject({ code: 'promotion_code_invalid' });
    expect(await liveOf(patient_id)).toEqual([subscription.id]);
    const row = await staff.db.subscription.findFirstOrThrow({ where: { id: subscription.id } });
    expect(row).toMatchObject({ promotionCode: null, promotionCodeAt: null, replacedBy: null });
  });

  it('names the subscription created without it when Stripe rejects it after the previous one was ended', async () => {
    const { subscription, patient_id } = await createForPatient();
    const code = await promotion();
    const late = redeemSubscriptionCode(staff, { id: subscription.id, promotion_code: code }, async (ctx, input) => {
      if (input.promotion_code === code) {
        await endHalfWay(() => createSubscription(ctx, input));
        await switchOff(code);
      }
      return createSubscription(ctx, input);
    });
    const error = await late.catch((thrown: CarelaneError) => thrown);
    const [live] = await liveOf(patient_id);
    expect(error).toMatchObject({ code: 'promotion_code_invalid', faults: [{ meta: { subscription_id: live } }] });
    expect(live).not.toBe(subscription.id);
  });

  it('ends no other subscription with the same price, and replaces no coupon', async () => {
    const { subscription, patient, patient_id } = await createForPatient();
    const { price_ids } = subscription;
    const second = await patient.create({ patient_id, price_ids, allow_promotion_codes: true, allow_duplicate: true });
    const code = await promotion();
    for (const { id } of [subscription, second])
      await expect(patient.update({ id, promotion_code: code })).rejects.toMatchObject(rejected('conflict'));
    expect(await liveOf(patient_id)).toEqual([subscription.id, second.id]);

    const { id: coupon } = await billing.stripe.api.coupons.create({ percent_off: 50, duration: 'once' }, on());
    const request = { patient_id: await billing.patient(), price_ids, coupon };
    const { id } = await subscriptions(staff).create(request);
    await expect(subscriptions(staff).update({ id, promotion_code: code })).rejects.toMatchObject(rejected('conflict'));
    expect(await subscriptions(staff).get({ id })).toMatchObject({ latest_invoice: { amount_due: 2450 } });
  });

  it('emits an event that names the replacing subscription', async () => {
    const { subscription, patient } = await createForPatient();
    const { id } = await patient.update({ id: subscription.id, promotion_code: await promotion() });
    const events = await staff.db.event.findMany({
      where: { objectId: subscription.id },
      orderBy: { position: 'asc' },
    });
    expect(events.map(({ eventTopic }) => eventTopic)).toEqual(['created', 'expired', 'updated']);
    expect(events.at(-1)).toMatchObject({
      payload: { id: subscription.id, status: 'incomplete_expired', replaced_by: id },
    });
  });

  it('creates one subscription when it is sent several times concurrently', async () => {
    const { subscription, patient, patient_id } = await createForPatient();
    const code = await promotion();
    const sent = await Promise.allSettled(
      Array.from({ length: 4 }, () => patient.update({ id: subscription.id, promotion_code: code })),
    );
    const ids = sent.flatMap((one) => (one.status === 'fulfilled' ? one.value.id : []));
    expect(new Set(ids).size).toBe(1);
    const live = await staff.db.subscription.findMany({ where: { patientId: patient_id, status: 'incomplete' } });
    expect(live.map(({ id }) => id)).toEqual([ids[0]]);
  });

  it('changes nothing when it is unknown, next to other changes, or too late', async () => {
    const { subscription, patient } = await createForPatient();
    const id = subscription.id;
    await expect(patient.update({ id, promotion_code: 'NOSUCHCODE' })).rejects.toMatchObject(
      rejected('promotion_code_invalid', '/promotion_code'),
    );
    const code = await promotion();
    const combined = { id, promotion_code: code, cancel_at_period_end: false as const };
    await expect(patient.update(combined)).rejects.toMatchObject(rejected('invalid_parameter', '/promotion_code'));
    expect(await patient.get({ id })).toMatchObject({ status: 'incomplete', discount: null, replaced_by: null });
    await patient.cancel({ id });
    await expect(patient.update({ id, promotion_code: code })).rejects.toMatchObject(rejected('already_canceled'));
  });
});
