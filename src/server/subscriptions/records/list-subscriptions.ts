import type { Page } from '#contract/conventions.ts';
import type { ListSubscriptionsInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { Prisma } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { beyondInstant, readPage } from '#server/core/paging.ts';
import { presentSubscription, visibleTo } from './subscription.ts';

type Filter = Pick<ListSubscriptionsInput, 'patient_id' | 'status' | 'price_id' | 'needs_attention'>;

/** Rows that the caller may see and that match the filter. `needs_attention` depends on the current time. */
export function whereMatching(ctx: Context, { patient_id, status, price_id, needs_attention }: Filter) {
  const now = ctx.clock.now();
  const others = { OR: [{ attentionFrom: null }, { attentionFrom: { gt: now } }] };
  return {
    ...(patient_id && { patientId: patient_id }),
    ...(status && { status: { in: status } }),
    ...(price_id && { prices: { some: { priceId: price_id } } }),
    ...(needs_attention !== undefined && (needs_attention ? { attentionFrom: { lte: now } } : others)),
    ...visibleTo(ctx.actor),
  } satisfies Prisma.SubscriptionWhereInput;
}

/**
 * Lists subscriptions, newest first.
 * @throws `forbidden` (403) when a patient does not name itself in `patient_id`
 */
export async function listSubscriptions(ctx: Context, input: ListSubscriptionsInput): Promise<Page<SubscriptionView>> {
  requireScope(ctx.actor, 'subscriptions:read');
  if (ctx.actor.kind === 'patient' && input.patient_id !== ctx.actor.patientId)
    throw apiError('forbidden', 'A patient lists its own subscriptions only: set patient_id to your own id.', {
      source: { parameter: 'patient_id' },
    });
  const where = whereMatching(ctx, input);
  return readPage(
    input,
    {
      what: 'subscription',
      async keyOf(id) {
        const row = await ctx.db.subscription.findFirst({ where: { ...visibleTo(ctx.actor), id } });
        return row && { at: row.createdAt, id };
      },
      read({ backwards, limit, offset, beyond }) {
        const direction = backwards ? 'asc' : 'desc';
        return ctx.db.subscription.findMany({
          where: beyond ? { AND: [where, beyondInstant('createdAt', beyond, backwards)] } : where,
          orderBy: [{ createdAt: direction }, { id: direction }],
          take: limit,
          skip: offset,
        });
      },
      count: (take) => ctx.db.subscription.count({ where, ...(take && { take }) }),
    },
    (row) => presentSubscription(ctx, row),
  );
}
