import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context } from '#server/core/context.ts';
import { cancelSubscription } from '../cancel/cancel-subscription.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { getSubscription } from '../sync/get-subscription.ts';
import { updateSubscription } from './update-subscription.ts';

const DAY_MS = 24 * 3_600_000;
const WITHIN = { timeout: 10_000 };
let billing: Clinic<'stripe'>;
let app: Context;
let staff: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
  staff = asPractitioner(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
const inDays = (days: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + days * DAY_MS).toISOString();
async function trial({ card = true } = {}) {
  const price = await billing.stripe.price({ trial: '9' });
  const created = await createSubscription(app, { patient_id: await billing.patient(), price_ids: [price] });
  if (card) {
    await billing.stripe.pay(created);
    const saved = async () => (await getSubscription(app, created)).payment_method?.last4;
    await expect.poll(saved, WITHIN).toBe('4242');
  }
  return { ...created, price };
}

describe('moving a trial', () => {
  it('changes its end, is recorded once for its requester, and bills nothing', async () => {
    const { id } = await trial();
    const trial_end = inDays(30);
    const moved = await updateSubscription(staff, { id, trial_end });
    expect(moved).toMatchObject({ status: 'trialing', trial_end, current_period_end: trial_end });
    expect(await updateSubscription(staff, { id, trial_end })).toEqual(moved);
    const shorter = inDays(2);
    expect((await updateSubscription(app, { id, trial_end: shorter })).trial_end).toBe(shorter);
    const audit = await app.db.auditEntry.findMany({
      where: { objectId: id, action: 'subscriptions.update' },
      orderBy: { createdAt: 'asc' },
    });
    expect(audit.map(({ actorType, event, details }) => [actorType, event, details])).toMatchObject([
      ['Practitioner', 'subscription.updated', { trial: 'moved', trial_end }],
      ['Application', 'subscription.updated', { trial: 'moved', trial_end: shorter }],
    ]);
    const invoices = (await billing.stripe.api.invoices.list({ subscription: id }, on())).data;
    expect(invoices.every(({ amount_due }) => amount_due === 0)).toBe(true);
  });

  it('to now ends it and bills the first period once', async () => {
    const { id } = await trial();
    const ended = await updateSubscription(staff, { id, trial_end: 'now' });
    expect(ended).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', amount_due: 4900 } });
    expect((await updateSubscription(staff, { id, trial_end: 'now' })).status).toBe('active');
    const invoices = (await billing.stripe.api.invoices.list({ subscription: id }, on())).data;
    expect(invoices.filter(({ amount_paid }) => amount_paid > 0)).toHaveLength(1);
  });

  it('also moves a cancellation that was scheduled for one period later', async () => {
    for (const end of ['now', inDays(20)] as const) {
      const { id } = await trial();
      await cancelSubscription(app, { id, cancel_at_period_end: true });
      const moved = await updateSubscription(staff, { id, trial_end: end });
      expect(moved.cancel_at_period_end).toBe(true);
      const from = new Date(end === 'now' ? moved.current_period_start! : end);
      const later = (Date.parse(moved.cancel_at!) - from.getTime()) / DAY_MS;
      expect(later).toBeGreaterThanOrEqual(28);
      expect(later).toBeLessThanOrEqual(31);
    }
  });
});

describe('a trial with nothing due', () => {
  it('ends without a card and continues, for any setting of trial_end', async () => {
    const coupon = await billing.stripe.api.coupons.create({ percent_off: 100, duration: 'once' }, on());
    const free = await billing.stripe.price({ trial: '9', unit_amount: 0 });
    const priced = await billing.stripe.price({ trial: '9' });
    for (const [price, isOff] of [
      [free, false],
      [priced, true],
    ] as const) {
      const { id } = await createSubscription(app, { patient_id: await billing.patient(), price_ids: [price] });
      if (isOff) await billing.stripe.api.subscriptions.update(id, { discounts: [{ coupon: coupon.id }] }, on());
      const ended = await updateSubscription(staff, { id, trial_end: 'now' });
      expect(ended).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', amount_due: 0 } });
    }
  });

  it('is not ended while a discount covers only a part', async () => {
    const coupon = await billing.stripe.api.coupons.create({ percent_off: 99, duration: 'once' }, on());
    const { id } = await trial({ card: false });
    await billing.stripe.api.subscriptions.update(id, { discounts: [{ coupon: coupon.id }] }, on());
    await expect(updateSubscription(staff, { id, trial_end: 'now' })).rejects.toMatchObject({ code: 'conflict' });
    expect((await getSubscription(app, { id })).status).toBe('trialing');
  });
});

describe('an invalid move of a trial', () => {
  it('returns the error of the contract, and changes nothing', async () => {
    const { id, patient_id, price } = await trial();
    const before = await getSubscription(app, { id });
    const invalid = { code: 'invalid_parameter', status: 422 };
    for (const trial_end of [inDays(-1), inDays(731)])
      await expect(updateSubscription(staff, { id, trial_end })).rejects.toMatchObject(invalid);
    await expect(
      updateSubscription(staff, { id, trial_end: 'now', price_ids: [price], quantities: [2] }),
    ).rejects.toMatchObject(invalid);
    const own = asPatient(billing.services, billing.tenant, patient_id);
    await expect(updateSubscription(own, { id, trial_end: inDays(90) })).rejects.toMatchObject({ code: 'forbidden' });
    const otherTenant = asPractitioner(billing.services, await makeTenant(billing.services));
    await expect(updateSubscription(otherTenant, { id, trial_end: 'now' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await getSubscription(app, { id })).toMatchObject({ status: 'trialing', trial_end: before.trial_end });
  });

  it('is rejected without a card to charge, and when no trial runs', async () => {
    const { id } = await trial({ card: false });
    await expect(updateSubscription(staff, { id, trial_end: 'now' })).rejects.toMatchObject({ code: 'conflict' });
    expect((await updateSubscription(staff, { id, trial_end: inDays(12) })).status).toBe('trialing');
    const paid = await createSubscription(app, {
      patient_id: await billing.patient(),
      price_ids: [await billing.stripe.price()],
    });
    await billing.stripe.pay(paid);
    await expect.poll(async () => (await getSubscription(app, paid)).status, WITHIN).toBe('active');
    for (const trial_end of ['now', inDays(3)])
      await expect(updateSubscription(staff, { id: paid.id, trial_end })).rejects.toMatchObject({ code: 'conflict' });
    await cancelSubscription(app, { id: paid.id });
    await expect(updateSubscription(staff, { id: paid.id, trial_end: 'now' })).rejects.toMatchObject({
      code: 'already_canceled',
    });
  });
});
