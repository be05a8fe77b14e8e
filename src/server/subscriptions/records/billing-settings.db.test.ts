import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UpdateStripeInput } from '#contract/integrations.ts';
import { asAdmin, asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context } from '#server/core/context.ts';
import { updateStripe } from '#server/integrations/router.ts';
import { cancelSubscription } from '../cancel/cancel-subscription.ts';
import { updateSubscription } from '../change/update-subscription.ts';
import { createCheckoutSession } from '../create/create-checkout-session.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { getSubscription } from '../sync/get-subscription.ts';

const DAY = 24 * 3600;
const DEFAULTS = {
  trial_end: 'cancel',
  trial_once: true,
  grace_days: 7,
  patients_may_cancel: true,
  patients_may_change_plan: true,
  proration: 'next_invoice',
} as const;

let billing: Clinic<'stripe'>;
let admin: Context;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  admin = asAdmin(billing.services, billing.tenant);
  app = asApplication(billing.services, billing.tenant);
});
beforeEach(() => set(DEFAULTS));
afterAll(() => billing?.stop());

const set = (settings: UpdateStripeInput) => updateStripe(admin, settings);
async function create(options: { trial?: string } = {}) {
  const patient_id = await billing.patient();
  const subscription = await createSubscription(app, { patient_id, price_ids: [await billing.stripe.price(options)] });
  return { subscription, patient: asPatient(billing.services, billing.tenant, patient_id) };
}
const codeOf = (work: Promise<unknown>) => work.then(() => null).catch((error: { code: string }) => error.code);
/** As reported by the webhooks so far. */
const becomes = (id: string, status: string) =>
  expect
    .poll(async () => (await admin.db.subscription.findFirst({ where: { id } }))?.status, { timeout: 15_000 })
    .toBe(status);

describe('billing settings', () => {
  it('are changed one by one, by admins only, and the audit entry lists the changed fields', async () => {
    const view = await set({ grace_days: 3, proration: 'now', trial_end: 'cancel' });
    expect(view.settings).toEqual({ ...DEFAULTS, grace_days: 3, proration: 'now' });
    await set({ grace_days: 3 });
    const entries = await admin.db.auditEntry.findMany({
      where: { action: 'integrations.update' },
      orderBy: { position: 'asc' },
    });
    expect(entries.slice(-2).map(({ details }) => details)).toEqual([
      { fields: ['grace_days', 'proration'] },
      { fields: [] },
    ]);
    const { services, tenant } = billing;
    for (const ctx of [asPractitioner(services, tenant), asApplication(services, tenant, ['subscriptions:write'])])
      expect(await codeOf(updateStripe(ctx, { grace_days: 1 }))).toBe('forbidden');
  });
});

describe('a free trial', () => {
  const statusOf = async (patient_id: string, price: string, more: object = {}) => {
    const subscription = await createSubscription(app, { patient_id, price_ids: [price], ...more });
    return [subscription.status, subscription.trial_end !== null];
  };

  it('is granted once per patient and product, with any price of the product', async () => {
    const patient_id = await billing.patient();
    const monthly = await billing.stripe.price({ trial: '7' });
    const on = { stripeAccount: billing.stripe.accountId };
    const { product } = await billing.stripe.api.prices.retrieve(monthly, {}, on);
    const { id: yearly } = await billing.stripe.api.prices.create(
      {
        ...{ product: product as string, currency: 'usd', unit_amount: 49_000, recurring: { interval: 'year' } },
        metadata: { trial_period_in_days: '14' },
      },
      on,
    );
    const first = await createSubscription(app, { patient_id, price_ids: [monthly] });
    expect(first.status).toBe('trialing');
    await cancelSubscription(app, { id: first.id });
    expect(await statusOf(patient_id, monthly)).toEqual(['incomplete', false]);
    expect(await statusOf(patient_id, yearly)).toEqual(['incomplete', false]);
    // Another plan has its own trial, and so has another patient.
    expect(await statusOf(patient_id, await billing.stripe.price({ trial: '7' }))).toEqual(['trialing', true]);
    expect(await statusOf(await billing.patient(), yearly)).toEqual(['trialing', true]);
  });

  it('from before products were stored is recognised by its price, also on the hosted checkout page', async () => {
    const patient_id = await billing.patient();
    const price = await billing.stripe.price({ trial: '7' });
    const { id } = await createSubscription(app, { patient_id, price_ids: [price] });
    await cancelSubscription(app, { id });
    const where = { tenantId_id: { tenantId: billing.tenant.id, id } };
    await admin.db.subscription.update({ where, data: { trialProducts: [] } });
    const url = billing.services.config.publicUrl;
    const page = { patient_id, price_ids: [price], success_url: url, cancel_url: url };
    const on = { stripeAccount: billing.stripe.accountId };
    const opened = await createCheckoutSession(app, page);
    expect((await billing.stripe.api.checkout.sessions.retrieve(opened.id, {}, on)).amount_total).toBe(4900);
    expect(await statusOf(patient_id, price)).toEqual(['incomplete', false]);
  });

  it('is granted again when the clinic allows it', async () => {
    await set({ trial_once: false });
    const patient_id = await billing.patient();
    const price = await billing.stripe.price({ trial: '7' });
    const { id } = await createSubscription(app, { patient_id, price_ids: [price] });
    await cancelSubscription(app, { id });
    expect(await statusOf(patient_id, price)).toEqual(['trialing', true]);
  });
});

describe('a trial that ends without a card', () => {
  it.each([
    ['cancel', 'canceled'],
    ['pause', 'paused'],
    ['past_due', 'past_due'],
  ] as const)('with `%s` becomes %s', async (trial_end, status) => {
    await set({ trial_end });
    const { subscription } = await create({ trial: '2' });
    const live = await billing.stripe.api.subscriptions.retrieve(
      subscription.id,
      {},
      { stripeAccount: billing.stripe.accountId },
    );
    const behavior = { cancel: 'cancel', pause: 'pause', past_due: 'create_invoice' }[trial_end];
    expect(live.trial_settings?.end_behavior.missing_payment_method).toBe(behavior);
    // A changed setting applies to later subscriptions only.
    await set({ trial_end: 'cancel' });
    await billing.stripe.control('clock', { advance_seconds: 3 * DAY });
    await becomes(subscription.id, status);
  });

  it('is passed to the hosted checkout page', async () => {
    await set({ trial_end: 'pause' });
    const seen: string[] = [];
    const stripe = billing.services.providers.stripe();
    const create = stripe.checkout.sessions.create.bind(stripe.checkout.sessions);
    stripe.checkout.sessions.create = ((params: object, ...rest: []) => {
      seen.push(JSON.stringify(params));
      return create(params as never, ...rest);
    }) as never;
    const page = `${billing.services.config.publicUrl}/welcome`;
    const price_ids = [await billing.stripe.price({ trial: '5' })];
    const patient_id = await billing.patient();
    await createCheckoutSession(app, { patient_id, price_ids, success_url: page, cancel_url: page });
    stripe.checkout.sessions.create = create;
    expect(seen[0]).toContain('"trial_settings":{"end_behavior":{"missing_payment_method":"pause"}}');
  });

  it('is not set on a subscription without a trial', async () => {
    const { subscription } = await create();
    const live = await billing.stripe.api.subscriptions.retrieve(
      subscription.id,
      {},
      { stripeAccount: billing.stripe.accountId },
    );
    expect(live.trial_settings?.end_behavior.missing_payment_method).toBe('create_invoice');
  });
});

describe('permissions of patients', () => {
  it('reject a cancellation where the clinic disallows it, also by an impersonating application', async () => {
    const { subscription, patient } = await create({ trial: '20' });
    const { services, tenant } = billing;
    const impersonator = asPatient(services, tenant, subscription.patient_id, 'the-application');
    const anotherPatient = asPatient(services, tenant, await billing.patient());
    await set({ patients_may_cancel: false });
    for (const ctx of [patient, impersonator])
      for (const cancel_at_period_end of [true, false])
        expect(await codeOf(cancelSubscription(ctx, { id: subscription.id, cancel_at_period_end }))).toBe(
          'organisation_only',
        );
    expect(await codeOf(cancelSubscription(anotherPatient, { id: subscription.id }))).toBe('not_found');
    expect((await getSubscription(app, subscription)).cancel_at).toBeNull();
    // The clinic's own application may cancel; the patient may not undo that.
    await cancelSubscription(app, { id: subscription.id, cancel_at_period_end: true });
    expect(await codeOf(updateSubscription(patient, { id: subscription.id, cancel_at_period_end: false }))).toBe(
      'organisation_only',
    );
    await set({ patients_may_cancel: true });
    expect(
      (await updateSubscription(patient, { id: subscription.id, cancel_at_period_end: false })).cancel_at,
    ).toBeNull();
    expect((await cancelSubscription(patient, { id: subscription.id })).status).toBe('canceled');
    // A subscription that has ended returns the same response to every caller.
    await set({ patients_may_cancel: false });
    expect((await cancelSubscription(patient, { id: subscription.id })).status).toBe('canceled');
  });

  it('always allow a patient to cancel a subscription that was never paid', async () => {
    await set({ patients_may_cancel: false });
    const { subscription, patient } = await create();
    expect((await cancelSubscription(patient, { id: subscription.id })).status).toBe('incomplete_expired');
  });

  it('reject a change of plan where the clinic disallows it', async () => {
    const { subscription, patient } = await create({ trial: '20' });
    const price_ids = [await billing.stripe.price()];
    await set({ patients_may_change_plan: false });
    expect(await codeOf(updateSubscription(patient, { id: subscription.id, price_ids }))).toBe('organisation_only');
    expect(
      await codeOf(
        updateSubscription(patient, { id: subscription.id, price_ids: subscription.price_ids, quantities: [2] }),
      ),
    ).toBe('organisation_only');
    expect((await updateSubscription(app, { id: subscription.id, price_ids })).price_ids).toEqual(price_ids);
    await set({ patients_may_change_plan: true });
    expect(
      (await updateSubscription(patient, { id: subscription.id, price_ids: subscription.price_ids })).price_ids,
    ).toEqual(subscription.price_ids);
  });
});
