import type { InboundEvent } from '#generated/prisma/client.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { isId } from '#server/core/ids.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { getStripeAccount } from '#server/integrations/get-stripe-account.ts';
import { noteStripeAccount } from '#server/integrations/note-stripe-account.ts';
import { stripeOf } from '#server/providers/stripe.ts';
import { finishIntent, INTENT_KEY } from '../create/carry-out-intent.ts';
import { type Intent, isAtWork } from '../create/open-intent.ts';
import { adoptSubscription } from '../sync/adopt-subscription.ts';
import { NOTICES } from '../sync/event-of-change.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';

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
