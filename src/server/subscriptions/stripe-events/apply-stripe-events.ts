import type { InboundEvent } from '#generated/prisma/client.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import type { Jobs } from '#server/core/jobs.ts';
import type { EventName } from '#server/core/record.ts';
import { markCustomerDeleted } from '#server/customers/index.ts';
import {
  deleteUnknownSubscription,
  getStripeAccount,
  queueStripeEvents,
  refreshStripeAccount,
  saveUnknownSubscription,
} from '#server/integrations/index.ts';
import { invalidatePlans } from '#server/plans/index.ts';
import type { StripeSubscription } from '#server/providers/stripe.ts';
import { finishIntent, INTENT_KEY, type Intent, isInProgress, outcomeAt } from '../create/intent.ts';
import { subscriptionOfPayment, syncPayments } from '../payments/sync-payments.ts';
import { ENDED, lockSubscription } from '../records/subscription.ts';
import {
  adoptSubscription,
  type EventNotice,
  nullWhenMissing,
  recordNotices,
  syncSubscription,
} from '../sync/sync-subscription.ts';

/** Stripe events that are announced to receivers in addition to the state that they leave. */
const NOTICES: Record<string, EventName> = {
  'customer.subscription.trial_will_end': 'subscription.trial_will_end',
  'invoice.payment_failed': 'subscription.payment_failed',
  'invoice.payment_action_required': 'subscription.payment_action_required',
};
const DEAUTHORIZED = 'account.application.deauthorized';

/** Processes a job of an earlier release, which queued one job per event. */
export async function processStripeEvent(services: Services, job: Jobs['process_inbound_event']): Promise<void> {
  const { tenantId, id } = job;
  const db = services.database.forTenant(tenantId);
  const event = await db.inboundEvent.findFirst({ where: { tenantId, provider: 'stripe', id } });
  if (event) await applyStripeEvents(services, { tenantId, objectId: event.objectId });
}

/**
 * Applies all pending Stripe events of one object with a single read of it; idempotent and independent of their order.
 * When the account grants no access any more, the events are closed with the error.
 */
export async function applyStripeEvents(services: Services, job: Jobs['apply_stripe_events']): Promise<void> {
  const pace = services.providers.stripeEventPace;
  const ctx = { ...systemContext(services, job.tenantId, 'stripe_webhook'), pace };
  const { tenantId, db } = ctx;
  const events = await db.inboundEvent.findMany({
    where: { tenantId, provider: 'stripe', objectId: job.objectId, processedAt: null },
    orderBy: [{ receivedAt: 'asc' }, { id: 'asc' }],
  });
  if (events.length === 0) return;
  const where = { tenantId, provider: 'stripe', id: { in: events.map(({ id }) => id) }, processedAt: null };
  const close = (lastError: string | null) =>
    db.inboundEvent.updateMany({ where, data: { processedAt: ctx.clock.now(), lastError } });
  const accountId = events.findLast((event) => event.accountId)?.accountId ?? (await getStripeAccount(ctx));
  try {
    if (await applyByObject(ctx, accountId, job.objectId, events)) await close(null);
  } catch (error) {
    const lastError = (error as Error).message.slice(0, 1000);
    if (error instanceof CarelaneError && error.code === 'integration_not_connected') {
      await refreshStripeAccount(ctx, accountId, true);
      await close(lastError);
      return;
    }
    await db.inboundEvent.updateMany({ where, data: { attempts: { increment: 1 }, lastError } });
    throw error;
  }
}

/** Returns false when the events have to wait; another job applies them later. */
async function applyByObject(
  ctx: Context,
  accountId: string,
  objectId: string,
  events: InboundEvent[],
): Promise<boolean> {
  if (objectId === 'plans') await invalidatePlans(ctx);
  else if (objectId.startsWith('acct_'))
    await refreshStripeAccount(
      ctx,
      objectId,
      events.some(({ eventType }) => eventType === DEAUTHORIZED),
    );
  else if (objectId.startsWith('cus_')) await applyToCustomer(ctx, accountId, objectId, events);
  else if (objectId.startsWith('pi_')) await applyToPayment(ctx, accountId, objectId, events);
  else return applyToSubscription(ctx, accountId, objectId, events);
  return true;
}

const isWithoutWebhook = (events: InboundEvent[]): boolean =>
  events.every(({ foundBy, deliveredAt }) => foundBy && !deliveredAt);

/**
 * A deleted customer, or a changed default payment method, which then also changes for the customer's subscriptions.
 */
async function applyToCustomer(ctx: Context, accountId: string, customerId: string, events: InboundEvent[]) {
  if (events.some(({ eventType }) => eventType === 'customer.deleted')) {
    await markCustomerDeleted(ctx, accountId, customerId);
    return;
  }
  const { tenantId, db } = ctx;
  const customer = await db.processorCustomer.findFirst({
    where: { tenantId, accountId, customerId, deletedAt: null },
  });
  if (!customer) return;
  const subscriptions = await db.subscription.findMany({
    where: { tenantId, accountId, patientId: customer.patientId, status: { notIn: ENDED } },
    select: { id: true },
  });
  for (const { id } of subscriptions)
    await syncSubscription(ctx, id, isWithoutWebhook(events) ? { found: 'events' } : {});
}

/** Applies a refund or a dispute. Payments of subscriptions that are not stored here are ignored. */
async function applyToPayment(ctx: Context, accountId: string, id: string, events: InboundEvent[]): Promise<void> {
  const subscriptionId = await subscriptionOfPayment(ctx, accountId, id);
  if (subscriptionId) await syncPayments(ctx, subscriptionId, isWithoutWebhook(events) ? { found: 'events' } : {});
}

async function applyToSubscription(
  ctx: Context,
  accountId: string,
  id: string,
  events: InboundEvent[],
): Promise<boolean> {
  const notices: EventNotice[] = events.map((event) => ({ id: event.id, notice: NOTICES[event.eventType] }));
  const withoutWebhook = isWithoutWebhook(events);
  const found = withoutWebhook ? { found: 'events' as const } : {};
  const isBilled = events.some(({ eventType }) => eventType.startsWith('invoice.'));
  /** The events count as processed once the last read has succeeded. */
  const read = async () => {
    await syncSubscription(ctx, id, isBilled ? found : { notices, ...found });
    if (isBilled) await syncPayments(ctx, id, { notices, invoicesOnly: true, ...found });
  };
  if ((await ctx.db.subscription.count({ where: { tenantId: ctx.tenantId, id } })) > 0) {
    await read();
    return true;
  }
  const live = await ctx.providers.stripeClient(ctx).getSubscription(accountId, id).catch(nullWhenMissing);
  if (!live) {
    // Stripe deletes the subscriptions of a test clock together with it; there is nothing to store.
    await deleteUnknownSubscription(ctx, id);
    return true;
  }
  const outcome = await storeNewSubscription(ctx, accountId, live, withoutWebhook ? 'events' : undefined);
  if (outcome === 'here') await read();
  if (outcome === 'taken') {
    if (isBilled) await syncPayments(ctx, id, { notices, ...found });
    else await ctx.db.$transaction(async (tx) => recordNotices(tx, ctx, await lockSubscription(tx, ctx, id), notices));
  }
  return outcome !== 'later';
}

/**
 * Stores a subscription that is not in the database yet. `later`: the create request that made it is still running; it
 * or its job stores the subscription, and the events are applied afterwards. `unknown`: its customer is no patient of
 * this tenant, so it is listed for the admins.
 */
export async function storeNewSubscription(
  ctx: Context,
  accountId: string,
  live: StripeSubscription,
  found?: 'events' | 'comparison',
): Promise<'taken' | 'here' | 'later' | 'unknown'> {
  const { tenantId } = ctx;
  const customer = await ctx.db.processorCustomer.findFirst({
    where: { tenantId, accountId, customerId: live.customerId },
  });
  if (!customer) {
    await saveUnknownSubscription(ctx, accountId, live);
    return 'unknown';
  }
  const patient = await ctx.db.patient.findFirst({
    where: { tenantId, id: customer.patientId },
    select: { mergedInto: true },
  });
  // A customer remains with the merged record if the patient is another one already.
  const patientId = patient?.mergedInto ?? customer.patientId;
  const intentId = live.metadata[INTENT_KEY] ?? '';
  const intent = isId(intentId)
    ? ((await ctx.db.subscriptionIntent.findFirst({ where: { tenantId, id: intentId, patientId } })) as Intent | null)
    : null;
  if (intent && isInProgress(ctx, intent)) {
    await ctx.db.$transaction((tx) => queueStripeEvents(tx, ctx, live.id, outcomeAt(intent)));
    return 'later';
  }
  if (intent) {
    await finishIntent(ctx, intent, live);
    return 'taken';
  }
  const owner = { accountId, patientId, createdByClientId: null, intentId: null };
  return (await adoptSubscription(ctx, live, owner, found)) ? 'taken' : 'here';
}
