import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { asAdmin, asApplication, asPatient, makeTenant } from '#dev/testing/actors.ts';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { CARD } from '#dev/testing/billing.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context } from '#server/core/context.ts';
import { getSubscription } from '../sync/get-subscription.ts';
import { createSubscription } from './create-subscription.ts';

let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

const read = (id: string) => getSubscription(app, { id });
const until = (id: string, status: SubscriptionView['status']) =>
  expect.poll(async () => (await read(id)).status, { timeout: 10_000 }).toBe(status);
async function subscribe(input: Partial<Parameters<typeof createSubscription>[1]> = {}, ctx = app) {
  const patient_id = input.patient_id ?? (await billing.patient());
  return createSubscription(ctx, { price_ids: [await billing.stripe.price()], ...input, patient_id });
}
const eventsOf = async (id: string) => {
  const rows = await app.db.event.findMany({ where: { objectId: id }, orderBy: { position: 'asc' } });
  return rows.map((row) => row.eventTopic);
};

describe('a subscription that is paid', () => {
  it('stays incomplete until the patient pays; then the webhook makes it active', async () => {
    const subscription = await subscribe();
    expect(subscription).toMatchObject({
      status: 'incomplete',
      next_action: 'payment',
      name: 'Care plan',
      plan_price: 4900,
      currency: 'usd',
      billing_period: 'month',
      billing_interval: 1,
      cancel_at_period_end: false,
      latest_invoice: { status: 'open', amount_due: 4900, payment_intent: { status: 'requires_payment_method' } },
      pending_setup_intent: null,
      payment_client: { publishable_key: 'pk_test_carelane', account_id: billing.stripe.accountId },
    });
    expect(subscription.latest_invoice?.payment_intent?.client_secret).toMatch(/^pi_.+_secret_.+/);
    expect((await billing.stripe.pay(subscription)).body.status).toBe('succeeded');
    await until(subscription.id, 'active');
    const paid = await read(subscription.id);
    expect(paid.next_action).toBe('none');
    expect(paid.latest_invoice?.payment_intent).toMatchObject({ status: 'succeeded' });
    expect(JSON.stringify(paid)).not.toContain('_secret_');
    expect(await eventsOf(subscription.id)).toContain('activated');
    expect((await eventsOf(subscription.id))[0]).toBe('created');
  });

  it('stays incomplete after a declined card, emits payment_failed, and accepts the next card', async () => {
    const subscription = await subscribe();
    expect((await billing.stripe.pay(subscription, CARD.declined)).status).toBe(402);
    await expect.poll(() => eventsOf(subscription.id), { timeout: 10_000 }).toContain('payment_failed');
    expect(await read(subscription.id)).toMatchObject({ status: 'incomplete', next_action: 'payment' });
    await billing.stripe.pay(await read(subscription.id));
    await until(subscription.id, 'active');
  });

  it('waits for 3-D Secure', async () => {
    const subscription = await subscribe();
    const intent = await billing.stripe.pay(subscription, CARD.threeDSecure);
    expect(intent.body.status).toBe('requires_action');
    await expect.poll(() => eventsOf(subscription.id), { timeout: 10_000 }).toContain('payment_action_required');
    expect(await read(subscription.id)).toMatchObject({ status: 'incomplete', next_action: 'payment' });
    await billing.stripe.control('trigger', {
      name: 'complete_authentication',
      account: billing.stripe.accountId,
      intent: intent.body.id,
    });
    await until(subscription.id, 'active');
  });
});

describe('a trial', () => {
  it('has nothing due, needs a card, and is trialing immediately', async () => {
    const subscription = await subscribe({ price_ids: [await billing.stripe.price({ trial: '7' })] });
    expect(subscription).toMatchObject({
      status: 'trialing',
      next_action: 'setup',
      latest_invoice: { amount_due: 0, status: 'paid', payment_intent: null },
    });
    expect(subscription.pending_setup_intent?.client_secret).toMatch(/^seti_.+_secret_.+/);
    expect(Date.parse(subscription.trial_end!) - Date.parse(subscription.trial_start!)).toBe(7 * 24 * 3600 * 1000);
    await billing.stripe.pay(subscription);
    await expect.poll(async () => (await read(subscription.id)).next_action, { timeout: 10_000 }).toBe('none');
  });

  it('is skipped when the metadata is malformed', async () => {
    const subscription = await subscribe({ price_ids: [await billing.stripe.price({ trial: 'two weeks' })] });
    expect(subscription).toMatchObject({ status: 'incomplete', trial_end: null });
  });

  it('that is to be canceled ends after its first paid period, not with the trial', async () => {
    const price_ids = [await billing.stripe.price({ trial: '14' })];
    const subscription = await subscribe({ price_ids, cancel_at_period_end: true });
    const end = new Date(subscription.trial_end!);
    end.setUTCMonth(end.getUTCMonth() + 1, Math.min(end.getUTCDate(), 28));
    expect(subscription.cancel_at_period_end).toBe(true);
    expect(subscription.cancel_at!.slice(0, 7)).toBe(end.toISOString().slice(0, 7));
    expect(subscription.upcoming_invoice_date).toBe(subscription.trial_end);
  });
});

describe('createSubscription rejects', () => {
  const rejected = (input: Partial<Parameters<typeof createSubscription>[1]>, ctx = app) =>
    expect(subscribe(input, ctx)).rejects;

  it('a price that is unknown, inactive or one-time', async () => {
    const oneTime = await billing.stripe.price({ recurring: undefined });
    const inactive = await billing.stripe.price();
    await billing.stripe.api.prices.update(inactive, { active: false }, { stripeAccount: billing.stripe.accountId });
    for (const price of ['price_unknown', oneTime, inactive])
      await rejected({ price_ids: [price] }).toMatchObject({ code: 'price_not_offered' });
  });

  it('a restricted account, and names who has to act', async () => {
    const account = billing.stripe.accountId;
    await billing.stripe.control('trigger', { name: 'restrict', account });
    await rejected({}).toMatchObject({
      code: 'integration_misconfigured',
      status: 422,
      faults: [{ detail: expect.stringContaining('Integrations') }],
    });
    await billing.stripe.control('trigger', { name: 'complete_onboarding', account });
    expect(await subscribe()).toMatchObject({ status: 'incomplete' });
  });

  it('prices of different currencies or intervals', async () => {
    const usd = await billing.stripe.price();
    await rejected({ price_ids: [usd, await billing.stripe.price({ currency: 'eur' })] }).toMatchObject({
      status: 422,
    });
    await rejected({ price_ids: [usd, await billing.stripe.price({ interval: 'year' })] }).toMatchObject({
      status: 422,
    });
    await rejected({ price_ids: [usd, usd] }).toMatchObject({ status: 422 });
  });

  it('a patient who is archived, who belongs to another tenant, or who does not exist', async () => {
    const archived = await billing.patient();
    await archivePatient(app, { id: archived });
    await rejected({ patient_id: archived }).toMatchObject({ code: 'patient_archived' });
    const ada = asPatient(billing.services, billing.tenant, await billing.patient());
    await rejected({}, ada).toMatchObject({ code: 'not_found' });
    await rejected({ patient_id: crypto.randomUUID() }).toMatchObject({ code: 'not_found' });
  });

  it('an application without the scope, and a tenant without Stripe', async () => {
    const reader = asApplication(billing.services, billing.tenant, ['subscriptions:read']);
    await rejected({}, reader).toMatchObject({ code: 'forbidden' });
    const emptyTenant = await makeTenant(billing.services);
    const unconnected = asApplication(billing.services, emptyTenant);
    const { createPatient } = await import('#server/patients/create-patient.ts');
    const patient_id = (await createPatient(asAdmin(billing.services, emptyTenant), { first_name: 'Ada' })).id;
    await rejected({ patient_id }, unconnected).toMatchObject({ code: 'integration_not_connected' });
  });
});

describe('promotion codes', () => {
  const on = () => ({ stripeAccount: billing.stripe.accountId });
  async function promotion(code: string, coupon: object, more: object = {}) {
    const created = await billing.stripe.api.coupons.create({ duration: 'once', ...coupon }, on());
    return billing.stripe.api.promotionCodes.create(
      { code, promotion: { type: 'coupon', coupon: created.id }, ...more },
      on(),
    );
  }

  it('apply in any case', async () => {
    await promotion('SPRING25', { percent_off: 25 });
    const subscription = await subscribe({ promotion_code: 'spring25' });
    expect(subscription).toMatchObject({
      discount: { code: 'SPRING25', percent_off: 25, amount_off: null },
      latest_invoice: { amount_due: 3675 },
    });
  });

  it('of 100 % leave nothing to pay', async () => {
    await promotion('ALLOFIT', { percent_off: 100, duration: 'forever' });
    const subscription = await subscribe({ promotion_code: 'ALLOFIT' });
    expect(subscription).toMatchObject({ status: 'active', latest_invoice: { amount_due: 0 } });
  });

  it('may be replaced by a coupon, by staff and applications only', async () => {
    const { id: coupon } = await billing.stripe.api.coupons.create({ percent_off: 50, duration: 'once' }, on());
    const subscription = await subscribe({ coupon });
    expect(subscription).toMatchObject({ discount: { percent_off: 50 }, latest_invoice: { amount_due: 2450 } });
    await promotion('BESIDE', { percent_off: 10 });
    const atCoupon = (code: string) => ({ code, faults: [{ source: { pointer: '/coupon' } }] });
    const both = subscribe({ coupon, promotion_code: 'BESIDE' });
    await expect(both).rejects.toMatchObject(atCoupon('invalid_parameter'));
    await expect(subscribe({ coupon: 'never-was' })).rejects.toMatchObject(atCoupon('invalid_parameter'));
    const patient_id = await billing.patient();
    const ada = asPatient(billing.services, billing.tenant, patient_id);
    await expect(subscribe({ patient_id, coupon }, ada)).rejects.toMatchObject(atCoupon('forbidden'));
  });

  it('are rejected when unknown or inactive', async () => {
    await promotion('GONE', { percent_off: 10 }, { active: false });
    for (const promotion_code of ['NEVER-WAS', 'GONE'])
      await expect(subscribe({ promotion_code })).rejects.toMatchObject({ code: 'promotion_code_invalid' });
  });

  it('for other products or currencies have no effect and return no error', async () => {
    const other = await billing.stripe.api.products.create({ name: 'Something else' }, on());
    await promotion('OTHERS', { percent_off: 50, applies_to: { products: [other.id] } });
    await promotion('EUROS', { amount_off: 500, currency: 'eur' });
    for (const promotion_code of ['OTHERS', 'EUROS'])
      expect(await subscribe({ promotion_code })).toMatchObject({
        discount: null,
        latest_invoice: { amount_due: 4900 },
      });
  });
});

describe('client secrets', () => {
  it('are returned to the creator, the patient and its impersonator only', async () => {
    const subscription = await subscribe();
    const { services, tenant } = billing;
    const seen = async (ctx: Context) => JSON.stringify(await getSubscription(ctx, subscription)).includes('_secret_');
    expect(await seen(app)).toBe(true);
    expect(await seen(asPatient(services, tenant, subscription.patient_id))).toBe(true);
    expect(await seen(asPatient(services, tenant, subscription.patient_id, 'another-application'))).toBe(true);
    expect(await seen(asApplication(services, tenant))).toBe(false);
    expect(await seen(asAdmin(services, tenant))).toBe(false);
    const anotherPatient = asPatient(services, tenant, await billing.patient());
    await expect(getSubscription(anotherPatient, subscription)).rejects.toMatchObject({ code: 'not_found' });
    const byStaff = await subscribe({}, asAdmin(services, tenant));
    expect(JSON.stringify(byStaff)).not.toContain('_secret_');
  });

  it('are stored in no table and no event', async () => {
    const tables = await Promise.all([
      app.db.subscription.findMany(),
      app.db.event.findMany(),
      app.db.auditEntry.findMany(),
      app.db.subscriptionIntent.findMany(),
      app.db.inboundEvent.findMany(),
    ]);
    const text = JSON.stringify(tables, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
    expect(text).toContain('sub_');
    expect(text).not.toContain('_secret_');
  });
});
