import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { type Billing, startBilling } from '#dev/testing/billing.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { createCallerFactory } from '#server/core/trpc.ts';
import { checkoutRouter, subscriptionsRouter } from '../router.ts';

let billing: Billing;
let staff: Context;
beforeAll(async () => {
  billing = await startBilling();
  staff = asPractitioner(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

const subscriptions = createCallerFactory(subscriptionsRouter);
const refused = (code: string, pointer?: string) => ({
  cause: { code, faults: [pointer ? { source: { pointer } } : {}] },
});

async function promotion(percent_off = 25): Promise<string> {
  const on = { stripeAccount: billing.accountId };
  const coupon = await billing.stripe.coupons.create({ percent_off, duration: 'once' }, on);
  return (await billing.stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id } }, on)).code;
}

async function begun({ allow = true, trial }: { allow?: boolean; trial?: string } = {}) {
  const patient_id = await billing.patient();
  const price = await billing.price({ ...(trial && { trial }) });
  const patient = subscriptions(asPatient(billing.services, billing.tenant, patient_id));
  const made = await patient.create({
    ...{ patient_id, price_ids: [price] },
    ...(allow && { allow_promotion_codes: true }),
  });
  return { made, patient, patient_id };
}
const openPage = (url: string) =>
  createCallerFactory(checkoutRouter)(
    contextFor(billing.services, { kind: 'visitor', tenantId: billing.tenant.id }),
  ).open({ token: url.split('#')[1]! });

describe('allow_promotion_codes', () => {
  it('is remembered, and the payment page asks for a code unless the link says otherwise', async () => {
    const { made } = await begun();
    expect(made).toMatchObject({ allow_promotion_codes: true, replaced_by: null });
    const link = await subscriptions(staff).createCheckoutLink({ subscription_id: made.id });
    expect(link.allow_promotion_codes).toBe(true);
    expect((await openPage(link.url)).takes_code).toBe(true);
    const plain = { subscription_id: made.id, allow_promotion_codes: false };
    expect((await subscriptions(staff).createCheckoutLink(plain)).allow_promotion_codes).toBe(false);
  });

  it('lets the patient redeem a code, who else may not', async () => {
    const code = await promotion();
    const { made, patient } = await begun({ allow: false });
    expect(made.allow_promotion_codes).toBe(false);
    await expect(patient.update({ id: made.id, promotion_code: code })).rejects.toMatchObject(
      refused('forbidden', '/promotion_code'),
    );
    expect(await subscriptions(staff).update({ id: made.id, promotion_code: code })).toMatchObject({
      discount: { code },
    });
  });
});

describe('a promotion code that is redeemed by PATCH', () => {
  it('has what waits for its first payment made again, once, and the payment link lead there', async () => {
    const { made, patient, patient_id } = await begun();
    const { url } = await subscriptions(staff).createCheckoutLink({ subscription_id: made.id });
    const code = await promotion();
    const changed = await patient.update({ id: made.id, promotion_code: code });
    expect(changed).toMatchObject({
      ...{ status: 'incomplete', discount: { code }, allow_promotion_codes: true },
      latest_invoice: { amount_due: 3675, payment_intent: { client_secret: expect.any(String) } },
    });
    expect(changed.id).not.toBe(made.id);
    expect(await patient.get({ id: made.id })).toMatchObject({
      ...{ status: 'incomplete_expired', replaced_by: changed.id },
    });
    expect((await patient.update({ id: made.id, promotion_code: code })).id).toBe(changed.id);
    expect((await openPage(url)).amount_due).toBe(3675);
    const again = await subscriptions(staff).createCheckoutLink({ subscription_id: changed.id });
    expect(again.url).toBe(url);
    expect((await billing.pay(changed)).status).toBe(200);
    await expect.poll(async () => (await patient.get({ id: changed.id })).status).toBe('active');
    expect(await staff.db.subscription.count({ where: { patientId: patient_id } })).toBe(2);
    await expect(patient.update({ id: made.id, promotion_code: await promotion() })).rejects.toMatchObject(
      refused('conflict', '/promotion_code'),
    );
  });

  it('is for a trial’s first bill, which keeps its id', async () => {
    const { made, patient } = await begun({ trial: '7' });
    const code = await promotion();
    expect(await patient.update({ id: made.id, promotion_code: code })).toMatchObject({
      ...{ id: made.id, status: 'trialing', discount: { code }, replaced_by: null },
    });
  });

  it('is finished by the same request again when the process ended half way', async () => {
    const { made, patient } = await begun();
    const code = await promotion();
    // What stands when it ends after the one was canceled and before the other was created.
    await staff.db.subscription.updateMany({ where: { id: made.id }, data: { promotionCode: code } });
    await subscriptions(staff).cancel({ id: made.id });
    expect(await patient.update({ id: made.id, promotion_code: code })).toMatchObject({
      ...{ status: 'incomplete', discount: { code } },
    });
  });

  it('makes one subscription when it is sent several times at once', async () => {
    const { made, patient, patient_id } = await begun();
    const code = await promotion();
    const sent = await Promise.allSettled(
      Array.from({ length: 4 }, () => patient.update({ id: made.id, promotion_code: code })),
    );
    const ids = sent.flatMap((one) => (one.status === 'fulfilled' ? one.value.id : []));
    expect(new Set(ids).size).toBe(1);
    const live = await staff.db.subscription.findMany({ where: { patientId: patient_id, status: 'incomplete' } });
    expect(live.map(({ id }) => id)).toEqual([ids[0]]);
  });

  it('changes nothing when it is unknown, beside other changes, or too late', async () => {
    const { made, patient } = await begun();
    const id = made.id;
    await expect(patient.update({ id, promotion_code: 'NOSUCHCODE' })).rejects.toMatchObject(
      refused('promotion_code_invalid', '/promotion_code'),
    );
    const code = await promotion();
    const beside = { id, promotion_code: code, cancel_at_period_end: false as const };
    await expect(patient.update(beside)).rejects.toMatchObject(refused('invalid_parameter', '/promotion_code'));
    expect(await patient.get({ id })).toMatchObject({ status: 'incomplete', discount: null, replaced_by: null });
    await patient.cancel({ id });
    await expect(patient.update({ id, promotion_code: code })).rejects.toMatchObject(refused('already_canceled'));
  });
});
