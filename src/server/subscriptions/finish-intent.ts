import type { Context } from '#server/core/context.ts';
import { type ProcessorSubscription, stripeOf } from '#server/providers/stripe.ts';
import { addIntervals } from './add-intervals.ts';
import { adoptSubscription } from './adopt-subscription.ts';
import type { Intent } from './open-intent.ts';
import { syncSubscription } from './sync-subscription.ts';

/**
 * The second half of an intent whose object exists: sets the end after the first paid period where it was asked for
 * (the processor's own flag would end a trial unpaid), then keeps the subscription. May be repeated.
 */
export async function finishIntent(
  ctx: Context,
  intent: Intent,
  made: ProcessorSubscription,
): Promise<ProcessorSubscription> {
  const { accountId, patientId, params: plan } = intent;
  let live = made;
  if (plan.cancelAfter === 'trial' && live.trialEnd && !live.cancelAt && intent.status !== 'done') {
    const { interval, interval_count } = live.recurring;
    const stripe = stripeOf(ctx);
    await stripe.scheduleCancel(accountId, live.id, addIntervals(live.trialEnd, interval, interval_count));
    live = await stripe.getSubscription(accountId, live.id);
  }
  const owner = { accountId, patientId, createdByClientId: plan.createdByClientId, intentId: intent.id };
  if (await adoptSubscription(ctx, live, owner)) return live;
  return (await syncSubscription(ctx, live.id)).live;
}
