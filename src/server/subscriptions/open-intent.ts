import { isDeepStrictEqual } from 'node:util';
import type { SubscriptionIntent } from '#generated/prisma/client.ts';
import { credentialOf } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import { refuse } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import type { IntentPlan } from './intent-plan.ts';

/** By then the create has answered or died; a job looks at what became of it. */
export const RESOLVE_AFTER = 2 * MINUTE;

export type Intent = SubscriptionIntent & { params: IntentPlan };

const requestKeyOf = (ctx: Context): string =>
  ctx.idempotencyKey === null
    ? `once:${newId(ctx.clock.now())}`
    : sha256(JSON.stringify([credentialOf(ctx.actor), ctx.idempotencyKey]));

/** What this credential set out to do earlier under the same Idempotency-Key, or null. */
export async function findIntent(ctx: Context, wish: IntentPlan['wish']): Promise<Intent | null> {
  if (ctx.idempotencyKey === null) return null;
  const where = { tenantId: ctx.tenantId, requestKey: requestKeyOf(ctx) };
  const found = (await ctx.db.subscriptionIntent.findFirst({ where })) as Intent | null;
  if (found && !isDeepStrictEqual(found.params.wish, wish))
    throw refuse('idempotency_key_reused', 'This Idempotency-Key was used with another request.', {
      source: { parameter: 'Idempotency-Key' },
    });
  return found;
}

/** Commits the plan before anything is asked of the processor. `isNew` is false when a twin of this call was first. */
export async function openIntent(
  ctx: Context,
  accountId: string,
  plan: IntentPlan,
): Promise<{ intent: Intent; isNew: boolean }> {
  const now = ctx.clock.now();
  const data = {
    id: newId(now),
    tenantId: ctx.tenantId,
    patientId: plan.wish.patientId,
    accountId,
    requestKey: requestKeyOf(ctx),
    params: plan,
    createdAt: now,
    updatedAt: now,
  };
  return ctx.db.$transaction(async (tx) => {
    const [made] = await tx.subscriptionIntent.createManyAndReturn({ data: [data], skipDuplicates: true });
    if (made) {
      const payload = { tenantId: ctx.tenantId, intentId: made.id };
      await enqueue(tx, 'resolve_subscription', payload, { runAt: new Date(now.getTime() + RESOLVE_AFTER) });
      return { intent: made as Intent, isNew: true };
    }
    const where = { tenantId: ctx.tenantId, requestKey: data.requestKey };
    return { intent: (await tx.subscriptionIntent.findFirstOrThrow({ where })) as Intent, isNew: false };
  });
}
