import { ENDED_STATUSES } from '#contract/ended-statuses.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { inBody, type PricesAt } from './plan.ts';

type Db = Pick<Tx, 'subscription' | 'subscriptionIntent'>;
type AskedChange = { until: string; details: { price_ids?: string[] } };

/** The prices of a subscription, including those of pending changes. */
export function pricesOf({ items, asked }: Pick<Subscription, 'items' | 'asked'>, now: Date): string[] {
  const changes = (asked as AskedChange[]).filter(({ until }) => Date.parse(until) > now.getTime());
  return [
    ...(items as { price_id: string }[]).map(({ price_id }) => price_id),
    ...changes.flatMap(({ details }) => details.price_ids ?? []),
  ];
}

/** Prices that a patient may have once. `selfId` is the subscription being changed to them. */
export type Unique = { patientId: string; priceIds: string[]; selfId?: string };

/** Returns the patient's subscriptions that have not ended and have one of the prices, oldest first. */
export async function findDuplicates(
  db: Pick<Db, 'subscription'>,
  { tenantId, clock }: Context,
  { patientId, priceIds, selfId }: Unique,
): Promise<Subscription[]> {
  if (priceIds.length === 0) return [];
  const rows = await db.subscription.findMany({
    where: { tenantId, patientId, status: { notIn: [...ENDED_STATUSES] }, ...(selfId && { id: { not: selfId } }) },
    orderBy: { createdAt: 'asc' },
  });
  return rows.filter((row) => pricesOf(row, clock.now()).some((id) => priceIds.includes(id)));
}

/**
 * Asserts that no other subscription of the patient has one of the prices.
 * @throws `conflict` also while one is being created
 */
export async function assertNoDuplicate(db: Db, ctx: Context, unique: Unique, at: PricesAt): Promise<void> {
  const [other] = await findDuplicates(db, ctx, unique);
  if (other) throw duplicateError(other, at);
  const { tenantId } = ctx;
  const where = { tenantId, patientId: unique.patientId, status: 'pending' };
  const pending = await db.subscriptionIntent.findMany({ where, select: { params: true } });
  const priceIds = pending.flatMap(({ params }) => (params as { wish: { priceIds: string[] } }).wish.priceIds);
  if (priceIds.some((id) => unique.priceIds.includes(id))) throw pendingDuplicateError(at);
}

const sourceOf = (at: PricesAt) => (at === inBody ? { pointer: '/price_ids' } : at(0));

export function duplicateError({ id, name, status }: Pick<Subscription, 'id' | 'name' | 'status'>, at = inBody) {
  const unpaid = status === 'incomplete' ? ', whose first payment is not complete' : '';
  return apiError('conflict', `The patient already has a subscription to ${name ?? 'this plan'}${unpaid}.`, {
    source: sourceOf(at),
    meta: { subscription_id: id, status },
  });
}

export const pendingDuplicateError = (at = inBody) =>
  apiError('conflict', 'Another subscription to this plan is being made for the patient. Try again in a minute.', {
    source: sourceOf(at),
  });
