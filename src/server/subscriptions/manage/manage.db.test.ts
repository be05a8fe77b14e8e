import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { applyPendingEvents } from '#dev/testing/apply-pending-events.ts';
import { CARD } from '#dev/testing/billing.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { serveHandlers } from '#dev/testing/http-server.ts';
import type { Clock } from '#server/core/clock.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { createCallerFactory, router } from '#server/core/trpc.ts';
import { connectStripe } from '#server/integrations/connect-stripe.ts';
import { inspectStripe } from '#server/integrations/inspect-stripe.ts';
import { getStripeIntegration } from '#server/integrations/list-integrations.ts';
import { disconnectStripe } from '#server/integrations/router.ts';
import { updatePatient } from '#server/patients/update-patient.ts';
import { createCheckoutLink } from '../checkout/create-checkout-link.ts';
import { openCheckout } from '../checkout/open-checkout.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { manageRouter, subscriptionsRouter } from '../router.ts';
import { createManageLink } from './create-manage-link.ts';

let billing: Clinic<'stripe'>;
let staff: Context;
let visitor: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  staff = asPractitioner(billing.services, billing.tenant);
  visitor = contextFor(billing.services, { kind: 'visitor', tenantId: billing.tenant.id });
});
afterAll(() => billing?.stop());

// Under the procedure names of the audit log.
const pages = createCallerFactory(router({ manage: manageRouter }));
const page = (ctx: Context) => pages(ctx).manage;
const subscriptions = createCallerFactory(subscriptionsRouter);
const code = (wanted: string) => ({ cause: { code: wanted } });
const tokenOf = ({ url }: { url: string }) => url.split('#')[1]!;
const link = async (subscription_id: string) => tokenOf(await createManageLink(staff, { subscription_id }));
const allow = (data: { patientsMayCancel?: boolean; patientsMayChangePlan?: boolean }) =>
  staff.db.tenant.update({ where: { id: billing.tenant.id }, data });

async function subscribed(options: { trial?: string; unpaid?: true; card?: string } = {}) {
  const patient_id = await billing.patient();
  const price = await billing.stripe.price({ ...(options.trial && { trial: options.trial }) });
  const own = subscriptions(asPatient(billing.services, billing.tenant, patient_id));
  const subscription = await own.create({ patient_id, price_ids: [price] });
  if (!options.unpaid) await billing.stripe.pay(subscription, options.card);
  return { id: subscription.id, patient_id, price, token: await link(subscription.id), own };
}

describe('a manage link', () => {
  it('shows its subscription, bills and card, and nothing else of the patient', async () => {
    const { id, patient_id, own, token } = await subscribed();
    const other = await own.create({
      patient_id,
      price_ids: [await billing.stripe.price({ unit_amount: 700 })],
    });
    await applyPendingEvents(billing.services, billing.tenant.id);
    const view = await page(visitor).open({ token });
    expect(view).toMatchObject({
      clinic: 'Example Clinic',
      status: 'active',
      next_action: 'none',
      client_secret: null,
      next_bill: { amount_due: 4900 },
      card: { brand: 'visa', last4: '4242' },
      may_cancel: true,
    });
    expect(view.payments).toMatchObject([{ total: 4900, status: 'paid', receipt_url: expect.any(String) }]);
    const text = JSON.stringify(view);
    const opened = await staff.db.auditEntry.findFirstOrThrow({
      where: { action: 'manage_links.open', patientId: patient_id },
    });
    expect(opened).toMatchObject({ actorType: 'Visitor' });
    for (const hidden of [id, other.id, patient_id, 'Ada', 'example.test']) expect(text).not.toContain(hidden);
  });

  it('is returned again while it is live, replaced on request, and expires after a day', async () => {
    const { id, token } = await subscribed({ unpaid: true });
    expect(await link(id)).toBe(token);
    const renewedToken = tokenOf(await createManageLink(staff, { subscription_id: id, renew: true }));
    await expect(page(visitor).open({ token })).rejects.toMatchObject(code('not_found'));
    const hoursOn = (hours: number): Clock => ({ now: () => new Date(Date.now() + hours * 3_600_000) });
    expect((await page({ ...visitor, clock: hoursOn(23.9) }).open({ token: renewedToken })).status).toBe('incomplete');
    await expect(page({ ...visitor, clock: hoursOn(24.1) }).open({ token: renewedToken })).rejects.toMatchObject(
      code('not_found'),
    );
    for (const row of await staff.db.manageLink.findMany()) {
      expect(JSON.stringify(row)).not.toContain(renewedToken.split('.')[1]);
      expect(Buffer.from(row.token ?? []).toString('latin1')).not.toContain(renewedToken.split('.')[1]);
    }
  });

  it('is created by staff, applications and its patient, and opens only for a visitor of its tenant', async () => {
    const { services, tenant } = billing;
    const { id, patient_id, token } = await subscribed({ unpaid: true });
    const input = { subscription_id: id };
    for (const ctx of [asApplication(services, tenant), asPatient(services, tenant, patient_id)])
      expect(tokenOf(await createManageLink(ctx, input))).toBe(token);
    await expect(createManageLink(visitor, input)).rejects.toMatchObject({ code: 'forbidden' });
    const anotherPatient = asPatient(services, tenant, await billing.patient());
    await expect(createManageLink(anotherPatient, input)).rejects.toMatchObject({ code: 'not_found' });
    const otherTenant = await makeTenant(services);
    await expect(createManageLink(asPractitioner(services, otherTenant), input)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(page(staff).open({ token })).rejects.toMatchObject(code('forbidden'));
    const otherVisitor = contextFor(services, { kind: 'visitor', tenantId: otherTenant.id });
    for (const [ctx, wrong] of [
      [otherVisitor, token],
      [visitor, `${token}A`],
      [visitor, ''],
    ] as const)
      await expect(page(ctx).open({ token: wrong })).rejects.toMatchObject(code('not_found'));
  });

  it('ends when the patient’s email address changes after it was sent', async () => {
    const { id, patient_id, token } = await subscribed({ unpaid: true });
    const mails = { ...staff, config: { ...staff.config, mail: {} as never } };
    await createManageLink(mails, { subscription_id: id, send: true });
    expect((await page(visitor).open({ token })).status).toBe('incomplete');
    await updatePatient(staff, { id: patient_id, email: 'ada.elsewhere@example.test' });
    await expect(page(visitor).open({ token })).rejects.toMatchObject(code('not_found'));
  });
});

describe('the page behind a manage link', () => {
  it('cancels at period end and undoes that, in the name of the patient', async () => {
    const { id, token } = await subscribed();
    const canceled = await page(visitor).cancel({ token });
    expect(canceled).toMatchObject({ status: 'active', cancel_at: expect.any(String), next_bill: null, plans: [] });
    expect(await page(visitor).undo({ token })).toMatchObject({ status: 'active', cancel_at: null });
    const entries = await staff.db.auditEntry.findMany({
      where: { objectId: id, action: { in: ['subscriptions.cancel', 'subscriptions.update'] } },
    });
    expect(entries.map(({ actorType }) => actorType)).toEqual(['Patient', 'Patient']);
  });

  it('shows the last bill of a plan change when the subscription ends with the period', async () => {
    const { token } = await subscribed();
    const dearer = await billing.stripe.price({ unit_amount: 9900 });
    const { previewed_at } = await page(visitor).preview({ token, price_id: dearer });
    await page(visitor).change({ token, price_id: dearer, previewed_at });
    const ending = await page(visitor).cancel({ token });
    expect(ending.next_bill?.date).toBe(ending.cancel_at);
    expect(ending.next_bill?.amount_due).toBeGreaterThan(4900);
    const plain = await subscribed();
    expect((await page(visitor).cancel({ token: plain.token })).next_bill).toBeNull();
  });

  it('ends a trial on its last day, so that it is never charged', async () => {
    const { token } = await subscribed({ trial: '7' });
    const { trial_end } = await page(visitor).open({ token });
    expect(await page(visitor).cancel({ token })).toMatchObject({
      status: 'trialing',
      cancel_at: trial_end,
      next_bill: null,
    });
    expect(await page(visitor).undo({ token })).toMatchObject({ cancel_at: null, next_bill: { amount_due: 4900 } });
  });

  it('ends a subscription immediately when it was never paid', async () => {
    const { token } = await subscribed({ unpaid: true });
    expect(await page(visitor).cancel({ token })).toMatchObject({ status: 'incomplete_expired', client_secret: null });
    await expect(page(visitor).undo({ token })).rejects.toMatchObject(code('already_canceled'));
  });

  it('changes the plan at the previewed price', async () => {
    const { id, token } = await subscribed();
    const dearer = await billing.stripe.price({ unit_amount: 9900 });
    // New prices are listed up to a minute later.
    await staff.db.providerSnapshot.deleteMany();
    const { plans } = await page(visitor).open({ token });
    expect(plans.find(({ price_id }) => price_id === dearer)).toMatchObject({ plan_price: 9900 });
    const preview = await page(visitor).preview({ token, price_id: dearer });
    const changed = await page(visitor).change({ token, price_id: dearer, previewed_at: preview.previewed_at });
    expect(changed).toMatchObject({ plan_price: 9900, next_bill: { amount_due: preview.next_bill!.amount_due } });
    expect((await subscriptions(staff).get({ id })).price_ids).toEqual([dearer]);
    const earlier = new Date(Date.now() - 16 * 60_000).toISOString();
    await expect(page(visitor).change({ token, price_id: dearer, previewed_at: earlier })).rejects.toMatchObject(
      code('conflict'),
    );
  });

  it('offers no plan that the patient has in another subscription', async () => {
    const { own, patient_id, token } = await subscribed();
    const [currentPrice, other] = [await billing.stripe.price(), await billing.stripe.price()];
    await billing.stripe.pay(await own.create({ patient_id, price_ids: [currentPrice] }));
    await staff.db.providerSnapshot.deleteMany();
    const offered = (await page(visitor).open({ token })).plans.map(({ price_id }) => price_id);
    expect(offered).toContain(other);
    expect(offered).not.toContain(currentPrice);
  });

  it('rejects a cancellation and a change of plan where the clinic disallows them', async () => {
    const { token, price } = await subscribed();
    await allow({ patientsMayCancel: false, patientsMayChangePlan: false });
    try {
      expect(await page(visitor).open({ token })).toMatchObject({ may_cancel: false, plans: [] });
      const previewed_at = new Date().toISOString();
      for (const rejected of [
        () => page(visitor).cancel({ token }),
        () => page(visitor).undo({ token }),
        () => page(visitor).change({ token, price_id: price, previewed_at }),
      ])
        await expect(rejected()).rejects.toMatchObject(code('organisation_only'));
    } finally {
      await allow({ patientsMayCancel: true, patientsMayChangePlan: true });
    }
  });

  it('makes a saved card the default, and accepts no other setup intent', async () => {
    const [one, other] = [await subscribed(), await subscribed()];
    const startedCard = await page(visitor).startCard({ token: one.token });
    const input = { setup_intent_id: startedCard.setup_intent_id };
    await expect(page(visitor).useCard({ token: one.token, ...input })).rejects.toMatchObject(code('not_found'));
    const pending = { id: '', status: '', client_secret: startedCard.client_secret };
    await billing.stripe.pay({ latest_invoice: null, pending_setup_intent: pending }, '5555555555554444');
    await expect(page(visitor).useCard({ token: other.token, ...input })).rejects.toMatchObject(code('not_found'));
    expect((await page(visitor).useCard({ token: one.token, ...input })).card).toMatchObject({ last4: '4444' });
    expect((await page(visitor).open({ token: other.token })).card).toMatchObject({ last4: '4242' });
  });

  it('makes a saved Link account the default', async () => {
    const { token } = await subscribed();
    const { setup_intent_id, client_secret } = await page(visitor).startCard({ token });
    const saved = await billing.stripe.pay({
      latest_invoice: null,
      pending_setup_intent: { id: '', status: '', client_secret },
    });
    billing.stripe.asLink(saved.body.payment_method);
    const view = await page(visitor).useCard({ token, setup_intent_id });
    expect(view.card).toEqual({ type: 'link', brand: null, last4: null, exp_month: null, exp_year: null });
  });

  it('resumes a subscription that was paused for lack of a card once a card is saved', async () => {
    const { id, token } = await subscribed({ trial: '7', unpaid: true });
    const on = { stripeAccount: billing.stripe.accountId };
    const end_behavior = { missing_payment_method: 'pause' as const };
    await billing.stripe.api.subscriptions.update(id, { trial_settings: { end_behavior } }, on);
    await billing.stripe.api.subscriptions.update(id, { trial_end: 'now' }, on);
    expect(await page(visitor).open({ token })).toMatchObject({ status: 'paused' });
    const { setup_intent_id, client_secret } = await page(visitor).startCard({ token });
    await billing.stripe.pay({ latest_invoice: null, pending_setup_intent: { id: '', status: '', client_secret } });
    expect(await page(visitor).useCard({ token, setup_intent_id })).toMatchObject({ status: 'active' });
  });

  it('resumes it once when two windows save a card concurrently', async () => {
    const { id, token } = await subscribed({ trial: '7', unpaid: true });
    const on = { stripeAccount: billing.stripe.accountId };
    const end_behavior = { missing_payment_method: 'pause' as const };
    await billing.stripe.api.subscriptions.update(id, { trial_settings: { end_behavior } }, on);
    await billing.stripe.api.subscriptions.update(id, { trial_end: 'now' }, on);
    const { setup_intent_id, client_secret } = await page(visitor).startCard({ token });
    await billing.stripe.pay({ latest_invoice: null, pending_setup_intent: { id: '', status: '', client_secret } });
    const use = () => page(visitor).useCard({ token, setup_intent_id });
    expect(await Promise.all([use(), use()])).toMatchObject([{ status: 'active' }, { status: 'active' }]);
    const { data } = await billing.stripe.api.invoices.list({ subscription: id }, on);
    expect(data.filter(({ amount_paid }) => amount_paid > 0)).toHaveLength(1);
  });

  it('does not resume or charge a subscription that was paused at Stripe', async () => {
    const { id, token } = await subscribed();
    const on = { stripeAccount: billing.stripe.accountId };
    await billing.stripe.api.subscriptions.pause(id, { type: 'subscription' }, on);
    const { setup_intent_id, client_secret } = await page(visitor).startCard({ token });
    const pending = { id: '', status: '', client_secret };
    await billing.stripe.pay({ latest_invoice: null, pending_setup_intent: pending }, '5555555555554444');
    expect(await page(visitor).useCard({ token, setup_intent_id })).toMatchObject({
      ...{ status: 'paused', card: { last4: '4444' } },
    });
    expect((await billing.stripe.api.invoices.list({ subscription: id }, on)).data).toHaveLength(1);
  });

  it('does not resume or charge a trial that was paused on request when a card is saved', async () => {
    const { id, token } = await subscribed({ trial: '7', unpaid: true });
    const { url } = await createCheckoutLink(staff, { subscription_id: id });
    const on = { stripeAccount: billing.stripe.accountId };
    await billing.stripe.api.subscriptions.pause(id, { type: 'subscription' }, on);
    expect(await page(visitor).open({ token })).toMatchObject({ status: 'paused', pause_reason: 'pause_requested' });
    // A row from before the reason was stored learns it without an event.
    await staff.db.subscription.updateMany({ where: { id }, data: { pauseReason: null } });
    const updateEvents = () => staff.db.event.count({ where: { objectId: id, eventTopic: 'updated' } });
    const before = await updateEvents();
    expect(await page(visitor).open({ token })).toMatchObject({ pause_reason: 'pause_requested' });
    expect(await updateEvents()).toBe(before);
    const { setup_intent_id, client_secret } = await page(visitor).startCard({ token });
    await billing.stripe.pay({ latest_invoice: null, pending_setup_intent: { id: '', status: '', client_secret } });
    expect(await page(visitor).useCard({ token, setup_intent_id })).toMatchObject({
      ...{ status: 'paused', pause_reason: 'pause_requested', card: { last4: '4242' } },
    });
    // A live payment link does not resume it either, once its card is saved.
    const stripeSubscription = await billing.stripe.api.subscriptions.retrieve(
      id,
      { expand: ['pending_setup_intent'] },
      on,
    );
    const pending = stripeSubscription.pending_setup_intent as { client_secret: string };
    await billing.stripe.pay({ latest_invoice: null, pending_setup_intent: { ...pending, id: '', status: '' } });
    const opened = await openCheckout(visitor, { token: url.split('#')[1]! }, createSubscription);
    expect(opened).toMatchObject({ status: 'paused', next_action: 'none', amount_due: 0 });
    const { data } = await billing.stripe.api.invoices.list({ subscription: id }, on);
    expect(data.filter(({ amount_paid }) => amount_paid > 0)).toEqual([]);
  });

  it('accepts a preview from the future in a sandbox, and rejects it in production', async () => {
    const { token } = await subscribed();
    const price_id = await billing.stripe.price({ unit_amount: 9900 });
    const previewed_at = new Date(Date.now() + 3 * 3_600_000).toISOString();
    const { config } = visitor;
    const live = { ...visitor, config: { ...config, environment: 'production' as const } };
    await expect(page(live).change({ token, price_id, previewed_at })).rejects.toMatchObject(code('conflict'));
    expect(await page(visitor).change({ token, price_id, previewed_at })).toMatchObject({ plan_price: 9900 });
  });

  it('pays the failed bill of a renewal immediately with the new card', async () => {
    const { token } = await subscribed({ trial: '2', card: CARD.failsLater });
    await billing.stripe.control('clock', { advance_seconds: 2 * 24 * 3600 + 7200 });
    const due = await page(visitor).open({ token });
    expect(due).toMatchObject({ status: 'past_due', next_action: 'payment', amount_due: 4900 });
    const intent = { id: '', status: '', client_secret: due.client_secret! };
    await billing.stripe.pay({
      latest_invoice: { id: '', status: 'open', amount_due: 4900, currency: 'usd', payment_intent: intent },
      pending_setup_intent: null,
    });
    expect(await page(visitor).open({ token })).toMatchObject({
      status: 'active',
      next_action: 'none',
      card: { last4: '4242' },
    });
  });
});

// Must be last: afterwards the clinic has another account.
describe('the page behind a manage link, after its Stripe account was disconnected', () => {
  it('shows the status and cancels, and rejects payments and cards', async () => {
    const [due, paid] = [await subscribed({ unpaid: true }), await subscribed()];
    const other = await billing.stripe.price({ unit_amount: 9900 });
    const startedCard = await page(visitor).startCard({ token: paid.token });
    const pending = { id: '', status: '', client_secret: startedCard.client_secret };
    await billing.stripe.pay({ latest_invoice: null, pending_setup_intent: pending }, '5555555555554444');
    const admin = asAdmin(billing.services, billing.tenant);
    await disconnectStripe(admin, { account_id: billing.stripe.accountId });

    for (const connectAnew of [false, true]) {
      if (connectAnew) await connectStripe(admin);
      // Staff see the issue too.
      expect((await subscriptions(staff).get({ id: paid.id })).stripe_issue).toBe('former_account');
      expect(await page(visitor).open({ token: due.token })).toMatchObject({
        ...{ status: 'incomplete', takes_payments: false, client_secret: null, plans: [], may_cancel: true },
      });
      expect(await page(visitor).open({ token: paid.token })).toMatchObject({
        ...{ status: 'active', takes_payments: false, plans: [], card: { last4: '4242' } },
      });
      const previewed_at = new Date().toISOString();
      const { token } = paid;
      for (const rejected of [
        () => page(visitor).startCard({ token }),
        () => page(visitor).useCard({ token, setup_intent_id: startedCard.setup_intent_id }),
        () => page(visitor).preview({ token, price_id: other }),
        () => page(visitor).change({ token, price_id: other, previewed_at }),
      ])
        await expect(rejected()).rejects.toMatchObject(code('conflict'));
    }
    expect(await page(visitor).cancel({ token: paid.token })).toMatchObject({ cancel_at: expect.any(String) });
    expect(await page(visitor).undo({ token: paid.token })).toMatchObject({ cancel_at: null });
    // The error is not that the new account lacks the plan.
    const change = { id: paid.id, price_ids: ['price_ofthenewone'] };
    await expect(subscriptions(staff).preview(change)).rejects.toMatchObject(code('conflict'));
    await expect(subscriptions(staff).update(change)).rejects.toMatchObject(code('conflict'));

    // The suggested fix ends it at the former account too.
    const { account_id } = await getStripeIntegration(admin);
    const fix = expect.stringContaining('Cancel them under Subscriptions');
    expect((await inspectStripe(admin, account_id!)).findings).toContainEqual(
      expect.objectContaining({ code: 'former_account', fix }),
    );
    await subscriptions(staff).cancel({ id: due.id });
    const there = await billing.stripe.api.subscriptions.retrieve(
      due.id,
      {},
      { stripeAccount: billing.stripe.accountId },
    );
    expect(there.status).toBe('incomplete_expired');

    // Then the former account revokes its access.
    await billing.stripe.control('trigger', { name: 'deauthorize', account: billing.stripe.accountId });
    const server = await serveHandlers(billing.services);
    try {
      const body = JSON.stringify({ token: paid.token });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${server.url}/api/links/manage.open`, { method: 'POST', headers, body });
      expect(await response.json()).toMatchObject({
        errors: [{ code: 'integration_not_connected', people: expect.stringMatching(/Get in touch with them\.$/) }],
      });
    } finally {
      await server.stop();
    }
  });
});
