import type { Page } from '#contract/conventions.ts';
import type { ListSubscriptionsInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { Prisma } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { checkPaging, pageSize, toPage } from '#server/core/paging.ts';
import { recordImpersonated } from '#server/core/record-impersonated.ts';
import { visibleTo } from './policy.ts';
import { presentSubscription } from './present-subscription.ts';

/** Subscriptions, newest first. A patient must name itself in `patient_id`, else 403. */
export async function listSubscriptions(ctx: Context, input: ListSubscriptionsInput): Promise<Page<SubscriptionView>> {
  requireScope(ctx.actor, 'subscriptions:read');
  if (ctx.actor.kind === 'patient' && input.patient_id !== ctx.actor.patientId)
    throw refuse('forbidden', 'A patient lists its own subscriptions only: set patient_id to your own id.', {
      source: { parameter: 'patient_id' },
    });
  checkPaging(input);
  await recordImpersonated(ctx, 'subscriptions.list');
  const where: Prisma.SubscriptionWhereInput = {
    ...(input.patient_id && { patientId: input.patient_id }),
    ...(input.status && { status: input.status }),
    ...visibleTo(ctx.actor),
  };
  const backwards = input.ending_before !== undefined;
  const direction = backwards ? 'asc' : 'desc';
  const size = pageSize(input);
  const rows = await ctx.db.subscription.findMany({
    where: { AND: [where, await beyond(ctx, input)] },
    orderBy: [{ createdAt: direction }, { id: direction }],
    take: size + 1,
    ...(input.page && { skip: (input.page - 1) * size }),
  });
  const page = toPage(rows, input, (row) => presentSubscription(ctx, row));
  if (input.page === undefined) return page;
  const count = await ctx.db.subscription.count({ where });
  return { ...page, totals: { count, pages: Math.max(1, Math.ceil(count / size)), page: input.page } };
}

/** The rows on the far side of the cursor. */
async function beyond(ctx: Context, input: ListSubscriptionsInput): Promise<Prisma.SubscriptionWhereInput> {
  const cursor = input.starting_after ?? input.ending_before;
  if (cursor === undefined) return {};
  const row = await ctx.db.subscription.findFirst({ where: { ...visibleTo(ctx.actor), id: cursor } });
  if (!row)
    throw refuse('invalid_parameter', 'The cursor names no subscription.', {
      source: { parameter: input.starting_after === undefined ? 'ending_before' : 'starting_after' },
    });
  const side = input.starting_after === undefined ? 'gt' : 'lt';
  return {
    OR: [{ createdAt: { [side]: row.createdAt } }, { createdAt: row.createdAt, id: { [side]: row.id } }],
  };
}
