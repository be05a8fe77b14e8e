import { isOurs, storeEvent } from '#server/integrations/stripe-inbound.ts';
import type { Event } from '#server/providers/stripe.ts';
import { stripeListsOf } from '#server/providers/stripe-lists.ts';
import type { Step } from './step.ts';

/** Pages a step; a flood goes on with the next. */
const MAX_PAGES = 10;

/**
 * Stores the events that Stripe lists and no webhook has brought. Applied after one more step, for the webhook may be on
 * its way. Each step begins where the last but one ended: an event that is listed late is seen too.
 */
export async function readEvents(step: Step): Promise<void> {
  const { ctx, accountId, state, stepMs } = step;
  const lists = stripeListsOf(ctx);
  let known = state.previousEventId ?? state.lastEventId;
  for (let page = 0; page < MAX_PAGES; page++) {
    const read = await lists.eventsAfter(accountId, known);
    if (!read) {
      // So long ago that the comparison has found it all.
      await step.keep({ lastEventId: null, previousEventId: null });
      return;
    }
    // To begin with, what has been is the comparison's.
    if (known !== null)
      for (const event of await unheardOf(step, read.events))
        await storeEvent(ctx, ctx.tenantId, { accountId, event, found: { waitMs: stepMs } });
    known = read.newest;
    if (!read.hasMore) break;
  }
  if (known !== state.lastEventId || state.previousEventId !== state.lastEventId)
    await step.keep({ lastEventId: known, previousEventId: state.lastEventId ?? known });
}

/** Those that are something to us, and not stored yet. */
async function unheardOf({ ctx, accountId }: Step, listed: Event[]): Promise<Event[]> {
  const ours = listed.map((event) => ({ ...event, account: accountId })).filter((event) => isOurs(ctx, event));
  const stored = await ctx.db.inboundEvent.findMany({
    where: { tenantId: ctx.tenantId, provider: 'stripe', id: { in: ours.map(({ id }) => id) } },
    select: { id: true },
  });
  const known = new Set(stored.map(({ id }) => id));
  return ours.filter(({ id }) => !known.has(id));
}
