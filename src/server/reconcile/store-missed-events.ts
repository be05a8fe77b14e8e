import { isRelevantEvent, storeEvent } from '#server/integrations/stripe-inbound.ts';
import type { Event } from '#server/providers/stripe.ts';
import { stripeListsOf } from '#server/providers/stripe-lists.ts';
import type { Step } from './step.ts';

/** Pages per step; the next step continues. */
const MAX_PAGES = 10;

/**
 * Stores the events that Stripe lists and that no webhook has delivered. They are applied one step later, because the
 * webhook may be on its way. Each step starts where the last but one ended, so that events listed late are seen too.
 */
export async function storeMissedEvents(step: Step): Promise<void> {
  const { ctx, accountId, state, stepMs } = step;
  const lists = stripeListsOf(ctx);
  let known = state.previousEventId ?? state.lastEventId;
  for (let page = 0; page < MAX_PAGES; page++) {
    const read = await lists.eventsAfter(accountId, known);
    if (!read) {
      // The event is older than Stripe's retention; the comparison has found its changes.
      await step.save({ lastEventId: null, previousEventId: null });
      return;
    }
    // On the first run, earlier changes are found by the comparison.
    if (known !== null)
      for (const event of await unheardOf(step, read.events))
        await storeEvent(ctx, ctx.tenantId, { accountId, event, found: { waitMs: stepMs } });
    known = read.newest;
    if (!read.hasMore) break;
  }
  if (known !== state.lastEventId || state.previousEventId !== state.lastEventId)
    await step.save({ lastEventId: known, previousEventId: state.lastEventId ?? known });
}

/** Events that concern this service and are not stored yet. */
async function unheardOf({ ctx, accountId }: Step, listed: Event[]): Promise<Event[]> {
  const ours = listed.map((event) => ({ ...event, account: accountId })).filter((event) => isRelevantEvent(ctx, event));
  const stored = await ctx.db.inboundEvent.findMany({
    where: { tenantId: ctx.tenantId, provider: 'stripe', id: { in: ours.map(({ id }) => id) } },
    select: { id: true },
  });
  const known = new Set(stored.map(({ id }) => id));
  return ours.filter(({ id }) => !known.has(id));
}
