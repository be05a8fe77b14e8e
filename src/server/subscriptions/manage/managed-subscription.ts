import type {
  ChangeManagedInput,
  ManagedPreviewView,
  ManagedSubscriptionView,
  ManageInput,
  OfferedPlan,
  PreviewManagedInput,
  StartedCardView,
  UseCardInput,
} from '#contract/managed-subscription.ts';
import type { ListPaymentsInput, PaymentView } from '#contract/payments.ts';
import type { PreviewSubscriptionInput, SubscriptionPreviewView } from '#contract/subscription-changes.ts';
import type { CancelSubscriptionInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { findCardOfSetup, findChargedCard, setDefaultCard, startCardSetup } from '#server/customers/index.ts';
import { findStripeAccount, getBillingSettings } from '#server/integrations/index.ts';
import { isInCare } from '#server/patients/index.ts';
import { findDuplicates, loadPlans, pricesOf } from '#server/plans/index.ts';
import { hashCheckoutToken, isCurrentAddress, openLink } from '../checkout/live-link.ts';
import { hasEnded, loadSubscription, presentSubscription } from '../records/subscription.ts';
import { isPausedForCard, resumePaused, syncSubscription } from '../sync/sync-subscription.ts';

/** The use cases with which a patient changes a subscription; the page calls the same ones. */
type SubscriptionActions = {
  payments(ctx: Context, input: ListPaymentsInput): Promise<{ items: PaymentView[] }>;
  /** Reads the bills from Stripe. */
  readBills(ctx: Context, subscriptionId: string): Promise<void>;
  preview(ctx: Context, input: PreviewSubscriptionInput): Promise<SubscriptionPreviewView>;
  update(
    ctx: Context,
    input: { id: string; price_ids?: string[]; cancel_at_period_end?: false },
    preview?: { prorationDate: Date },
  ): Promise<SubscriptionView>;
  cancel(ctx: Context, input: CancelSubscriptionInput, options?: { trialUnpaid: true }): Promise<SubscriptionView>;
};

type Bills = Pick<SubscriptionActions, 'payments' | 'readBills'>;

/** As many bills as fit on a phone: a year of months. */
const BILLS = 12;
const PLANS = 20;
/** How long a previewed price remains valid. */
const PREVIEW_VALID_FOR = 15 * MINUTE;
const CHANGEABLE = ['trialing', 'active', 'past_due'];

/** Returns what the page shows of the link's subscription, as Stripe has it now. */
export async function getManagedSubscription(
  visitor: Context,
  { token }: ManageInput,
  actions: Bills,
): Promise<ManagedSubscriptionView> {
  const session = await authenticateByLink(visitor, token);
  const { ctx, patientId, subscriptionId } = session;
  const { row, live } = await syncSubscription(ctx, subscriptionId);
  const view = presentSubscription(ctx, row, live);
  const clinic = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId }, select: { name: true } });
  const settings = await getBillingSettings(ctx.db, ctx.tenantId);
  const takes_payments = (await isConnected(ctx, row)) || hasEnded(row);
  // Changes made in the last period are billed at its end, although no other period follows.
  const lastBill = row.status === 'active' ? view.cancel_at : null;
  const date = view.upcoming_invoice_date ?? lastBill;
  const [items, card, amount_due, plans] = await Promise.all([
    billsOf(session, view.latest_invoice, actions),
    hasEnded(row) ? null : findChargedCard(ctx, { patientId, subscriptionId, accountId: row.accountId }),
    date ? ctx.providers.stripeClient(ctx).changes.nextBill(row.accountId, row.id) : null,
    settings.patients_may_change_plan && takes_payments ? listOtherPlans(ctx, row) : [],
  ]);
  const { latest_invoice: invoice, pending_setup_intent: setup } = view;
  return {
    clinic: clinic.name,
    name: view.name,
    status: view.status,
    plan_price: view.plan_price,
    currency: view.currency,
    billing_period: view.billing_period,
    billing_interval: view.billing_interval,
    cancel_at: view.cancel_at,
    ended_at: view.ended_at,
    current_period_end: view.current_period_end,
    trial_end: view.trial_end,
    discount: view.discount,
    pause_collection: view.pause_collection,
    pause_reason: view.pause_reason,
    next_action: view.next_action,
    payment_client: view.payment_client,
    amount_due: view.next_action === 'payment' ? (invoice?.amount_due ?? 0) : 0,
    client_secret: takes_payments ? (invoice?.payment_intent?.client_secret ?? setup?.client_secret ?? null) : null,
    next_bill: date && (view.upcoming_invoice_date || amount_due) ? { date, amount_due } : null,
    card,
    payments: items.map((one) => ({
      id: one.id,
      number: one.number,
      status: one.status,
      currency: one.currency,
      total: one.total,
      amount_refunded: one.amount_refunded,
      created_at: one.created_at,
      receipt_url: one.receipt_url,
      invoice_url: one.invoice_url,
      pdf_url: one.pdf_url,
    })),
    may_cancel: !hasEnded(row) && (settings.patients_may_cancel || row.status === 'incomplete'),
    takes_payments,
    plans,
  };
}

const isConnected = async (ctx: Context, { accountId }: Pick<Subscription, 'accountId'>): Promise<boolean> =>
  (await findStripeAccount(ctx)) === accountId;

/** Payments and cards are changed at the connected account and would not reach a subscription at a former one. */
async function assertConnected({ ctx, subscriptionId }: LinkSession): Promise<void> {
  if (await isConnected(ctx, await loadSubscription(ctx, subscriptionId))) return;
  throw apiError(
    'conflict',
    'This subscription is at a Stripe account that is not connected: nothing is changed there.',
    {
      people: 'This cannot be changed here any more. Get in touch with your clinic.',
    },
  );
}

/** Returns the stored bills; reads them from Stripe when they lack the latest invoice or its status. */
async function billsOf(
  { ctx, patientId, subscriptionId }: LinkSession,
  last: SubscriptionView['latest_invoice'],
  actions: Bills,
): Promise<PaymentView[]> {
  const query = { subscription_id: subscriptionId, patient_id: patientId, size: BILLS } as ListPaymentsInput;
  const { items } = await actions.payments(ctx, query);
  if (!last || items.some(({ id, status }) => id === last.id && status === last.status)) return items;
  await actions.readBills(ctx, subscriptionId);
  return (await actions.payments(ctx, query)).items;
}

/**
 * The plans that a one-plan subscription may change to: plans on offer in its currency, without those of the patient's
 * other subscriptions. Empty when the subscription is about to end.
 */
async function listOtherPlans(ctx: Context, row: Subscription): Promise<OfferedPlan[]> {
  const items = row.items as { price_id: string; quantity: number }[];
  const [item] = items;
  if (!item || items.length !== 1 || item.quantity !== 1) return [];
  if (row.cancelAt || !CHANGEABLE.includes(row.status)) return [];
  const offered = await loadPlans(ctx, row.accountId);
  const unique = { patientId: row.patientId, priceIds: offered.map(({ id }) => id), selfId: row.id };
  const others = await findDuplicates(ctx.db, ctx, unique);
  const takenIds = new Set([item.price_id, ...others.flatMap((one) => pricesOf(one, ctx.clock.now()))]);
  return offered
    .filter((plan) => !takenIds.has(plan.id) && plan.currency === row.currency)
    .slice(0, PLANS)
    .map((plan) => ({
      price_id: plan.id,
      name: plan.name,
      description: plan.description,
      plan_price: plan.unit_amount,
      currency: plan.currency,
      billing_period: plan.recurring?.interval ?? null,
      billing_interval: plan.recurring?.interval_count ?? null,
    }));
}

/** Previews what another plan costs, and from when. */
export async function previewManagedChange(
  visitor: Context,
  { token, price_id }: PreviewManagedInput,
  actions: Pick<SubscriptionActions, 'preview'>,
): Promise<ManagedPreviewView> {
  const session = await authenticateByLink(visitor, token);
  await assertConnected(session);
  const preview = await actions.preview(session.ctx, { id: session.subscriptionId, price_ids: [price_id] });
  return {
    price_id,
    previewed_at: preview.proration_date,
    currency: preview.currency,
    due_now: preview.due_now,
    next_bill: preview.next_invoice && { date: preview.next_invoice.date, amount_due: preview.next_invoice.amount_due },
  };
}

/** Changes to another plan at its previewed price. */
export async function changeManagedPlan(visitor: Context, input: ChangeManagedInput, actions: SubscriptionActions) {
  const session = await authenticateByLink(visitor, input.token);
  await assertConnected(session);
  const { ctx, subscriptionId: id } = session;
  const prorationDate = new Date(input.previewed_at);
  const ageMs = ctx.clock.now().getTime() - prorationDate.getTime();
  // A time in the future would change the amount due; Stripe rounds to whole seconds. Outside production it is allowed,
  // because a Stripe test clock may be ahead of ours.
  const isInFuture = ageMs < -1 * MINUTE && ctx.config.environment === 'production';
  if (ageMs > PREVIEW_VALID_FOR || isInFuture)
    throw apiError('conflict', 'The price was looked at too long ago.', {
      people: 'The price may have changed since then. Look at it again, then confirm.',
    });
  await actions.update(ctx, { id, price_ids: [input.price_id] }, { prorationDate });
  return getManagedSubscription(visitor, input, actions);
}

/** Ends the subscription with its paid period, a trial on its last day, and one that does not run immediately. */
export async function cancelManagedSubscription(visitor: Context, input: ManageInput, actions: SubscriptionActions) {
  const session = await authenticateByLink(visitor, input.token);
  const { ctx, subscriptionId: id } = session;
  const { row } = await syncSubscription(ctx, id);
  const atEnd = CHANGEABLE.includes(row.status);
  await actions.cancel(ctx, { id, ...(atEnd && { cancel_at_period_end: true }) }, { trialUnpaid: true });
  return getManagedSubscription(visitor, input, actions);
}

/** Undoes a scheduled cancellation. */
export async function undoManagedCancellation(visitor: Context, input: ManageInput, actions: SubscriptionActions) {
  const session = await authenticateByLink(visitor, input.token);
  await actions.update(session.ctx, { id: session.subscriptionId, cancel_at_period_end: false });
  return getManagedSubscription(visitor, input, actions);
}

/** Starts saving another card. */
export async function startManagedCardSetup(visitor: Context, { token }: ManageInput): Promise<StartedCardView> {
  const session = await authenticateByLink(visitor, token);
  await assertConnected(session);
  const { ctx, patientId } = session;
  const { id, client_secret, payment_client } = await startCardSetup(ctx, { patient_id: patientId });
  return { setup_intent_id: id, client_secret: client_secret!, payment_client };
}

/**
 * Makes a saved card the default once Stripe confirms it, and resumes a subscription that was paused for lack of a
 * card.
 */
export async function useManagedCard(visitor: Context, input: UseCardInput, actions: Bills) {
  const session = await authenticateByLink(visitor, input.token);
  await assertConnected(session);
  const { ctx, patientId, subscriptionId } = session;
  const id = await findCardOfSetup(ctx, patientId, input.setup_intent_id);
  if (!id) throw notFound('card');
  await setDefaultCard(ctx, { id, patient_id: patientId, is_default: true });
  const { row } = await syncSubscription(ctx, subscriptionId);
  if (isPausedForCard(row)) await syncSubscription(ctx, row.id, await resumePaused(ctx, row));
  return getManagedSubscription(visitor, input, actions);
}

/** The patient in whose name the page acts, and the only subscription that it may access. */
type LinkSession = { ctx: Context; patientId: string; subscriptionId: string };

/** The application id under which the page appears in the audit log. */
const PAGE = 'manage-page';

/**
 * Turns the visitor with a link into its patient.
 * @throws `not_found` once the link has expired or ended, the patient's care has ended, or the patient has changed an
 * address or number that the link was sent to
 */
export async function authenticateByLink(ctx: Context, token: string): Promise<LinkSession> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'This opens with a link of its own only.');
  const { tenantId } = ctx;
  const link = await ctx.db.manageLink.findFirst({
    where: { tenantId, tokenHash: hashCheckoutToken(token), expiresAt: { gt: ctx.clock.now() }, endedAt: null },
    include: { patient: true },
  });
  if (link) ctx.trail.patients.add(link.patientId);
  const sentTo = link && openLink(ctx, 'manage', { ...link, token: null }).sentTo;
  if (!link || !isInCare(link.patient) || !isCurrentAddress(sentTo, link.patient))
    throw apiError('not_found', 'This link is not valid any more. Ask your clinic for a new one.');
  const { patientId, subscriptionId } = link;
  const actor = { kind: 'patient', tenantId, patientId, clientId: PAGE, impersonatedBy: null } as const;
  return { ctx: { ...ctx, actor }, patientId, subscriptionId };
}
