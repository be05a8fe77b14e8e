import type { InboundEvent } from '#generated/prisma/client.ts';
import { SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import type { EventName } from '#server/core/record.ts';
import { getStripeAccount } from '#server/integrations/get-stripe-account.ts';
import { noteStripeAccount } from '#server/integrations/note-stripe-account.ts';
import { type Event, stripeOf } from '#server/providers/stripe.ts';
import { finishIntent, INTENT_KEY, type Intent, isAtWork } from '../create/intent.ts';
import { adoptSubscription, syncSubscription } from '../sync/sync-subscription.ts';

/** The queued job is the safety net: it runs only where dealing with the event at once did not end. */
const SAFETY_NET_AFTER = 30 * SECOND;

/** What a processor's event tells beside the state it leaves. */
const NOTICES: Record<string, EventName> = {
  'customer.subscription.trial_will_end': 'subscription.trial_will_end',
  'invoice.payment_failed': 'subscription.payment_failed',
  'invoice.payment_action_required': 'subscription.payment_action_required',
};

export type StripeDelivery = { rawBody: string; header: (name: string) => string | null };

/**
 * Takes one signed event: stored before it is acknowledged, then dealt with at once. Not signed by Stripe within five
 * minutes → 400 `malformed_request`. Events of accounts that no tenant has, of the other mode or about nothing of ours
 * are acknowledged and left alone.
 */
export async function receiveStripeWebhook(services: Services, { rawBody, header }: StripeDelivery): Promise<void> {
  const event = stripeOf(services).readEvent(rawBody, header('stripe-signature') ?? '', services.clock.now());
  if (!event) throw refuse('malformed_request', 'This is no event with a valid, recent Stripe signature.');
  const target = inboundTarget(event);
  if (!target || !event.account || event.livemode !== (services.config.environment === 'production')) return;
  for (const tenantId of await services.database.tenantsOf(`stripe:${event.account}`)) {
    await store(services, tenantId, event, target);
    const job = { tenantId, provider: 'stripe', id: event.id };
    try {
      await processStripeEvent(services, job);
    } catch (error) {
      services.log.warn({ event: event.id, err: (error as Error).message }, 'a Stripe event waits for its job');
    }
  }
}

async function store(services: Services, tenantId: string, event: Event, target: string): Promise<void> {
  const ctx = systemContext(services, tenantId, 'stripe_webhook');
  const now = ctx.clock.now();
  await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.inboundEvent.createMany({
      data: [{ tenantId, provider: 'stripe', id: event.id, eventType: event.type, objectId: target, receivedAt: now }],
      skipDuplicates: true,
    });
    if (count === 0) return;
    const job = { tenantId, provider: 'stripe', id: event.id };
    await enqueue(tx, 'process_inbound_event', job, { runAt: new Date(now.getTime() + SAFETY_NET_AFTER) });
  });
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const field = (value: unknown, key: string): unknown => (value as Record<string, unknown> | null | undefined)?.[key];

/**
 * The id of what has to be read anew because of this event: a subscription (also for its invoices), the account, or
 * `plans`; null when the event is nothing to us. Only the id counts: what the event says may be old by now.
 */
export function inboundTarget({ type, account, data: { object } }: Event): string | null {
  if (type.startsWith('customer.subscription.')) return text(object.id);
  if (type.startsWith('invoice.')) {
    const details = field(field(object, 'parent'), 'subscription_details');
    const subscription = field(details, 'subscription');
    return text(subscription) ?? text(field(subscription, 'id'));
  }
  if (type === 'account.updated' || type === 'account.application.deauthorized') return account ?? null;
  if (type.startsWith('price.') || type.startsWith('product.')) return 'plans';
  return null;
}

/** Deals with a stored event of Stripe's. Any number of times and in any order it ends the same. */
export async function processStripeEvent(services: Services, job: Jobs['process_inbound_event']): Promise<void> {
  const ctx = systemContext(services, job.tenantId, 'stripe_webhook');
  const where = { tenantId: job.tenantId, provider: 'stripe', id: job.id, processedAt: null };
  const event = await ctx.db.inboundEvent.findFirst({ where });
  if (!event) return;
  try {
    await dealWith(ctx, event);
    await ctx.db.inboundEvent.updateMany({ where, data: { processedAt: ctx.clock.now(), lastError: null } });
  } catch (error) {
    const lastError = (error as Error).message.slice(0, 1000);
    await ctx.db.inboundEvent.updateMany({ where, data: { attempts: { increment: 1 }, lastError } });
    throw error;
  }
}

async function dealWith(ctx: Context, event: InboundEvent): Promise<void> {
  const { objectId, eventType } = event;
  if (objectId === 'plans') {
    await ctx.db.providerSnapshot.deleteMany({ where: { tenantId: ctx.tenantId, provider: 'stripe', kind: 'plans' } });
  } else if (objectId.startsWith('acct_')) {
    await noteStripeAccount(ctx, objectId, eventType === 'account.application.deauthorized');
  } else {
    const known = await ctx.db.subscription.count({ where: { tenantId: ctx.tenantId, id: objectId } });
    if (known === 0 && !(await takeIn(ctx, objectId))) return;
    await syncSubscription(ctx, objectId, { notice: NOTICES[eventType], inboundId: event.id });
  }
}

/**
 * A subscription that we have not kept yet. False when its customer is none of ours, or when the create that made it is
 * still at work: that, or the job behind it, keeps it.
 */
async function takeIn(ctx: Context, id: string): Promise<boolean> {
  const accountId = await getStripeAccount(ctx);
  const live = await stripeOf(ctx).getSubscription(accountId, id);
  const { tenantId } = ctx;
  const customer = await ctx.db.processorCustomer.findFirst({
    where: { tenantId, accountId, customerId: live.customerId },
  });
  if (!customer) return false;
  const { patientId } = customer;
  const intentId = live.metadata[INTENT_KEY] ?? '';
  const intent = isId(intentId)
    ? ((await ctx.db.subscriptionIntent.findFirst({ where: { tenantId, id: intentId, patientId } })) as Intent | null)
    : null;
  if (intent && isAtWork(ctx, intent)) return false;
  if (intent) await finishIntent(ctx, intent, live);
  else await adoptSubscription(ctx, live, { accountId, patientId, createdByClientId: null, intentId: null });
  return true;
}
