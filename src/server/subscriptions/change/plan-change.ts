import type { Proration } from '#contract/subscription-changes.ts';
import type { Subscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { findStripeAccount, getBillingSettings } from '#server/integrations/index.ts';
import { findDuplicates, getOfferedPlans, type PricesAt, type Unique } from '#server/plans/index.ts';
import type { ItemChange } from '#server/providers/stripe-changes.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { assertDistinctPrices, assertSameBilling, type Facts, hasEnded } from '../records/subscription.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';

type RequestedItems = { price_ids?: string[] | undefined; quantities?: number[] | undefined };
type Item = Facts['items'][number];

/** Statuses in which Stripe accepts changes; an unpaid subscription is canceled and created again instead. */
const CHANGEABLE = ['trialing', 'active', 'past_due'];

export function assertChangeable({ status }: Pick<Subscription, 'status'>): void {
  if (hasEnded({ status })) throw apiError('already_canceled', 'This subscription has ended already.');
  if (!CHANGEABLE.includes(status))
    throw apiError(
      'conflict',
      `A subscription that is ${status} cannot be changed: its payment has to be settled first.`,
    );
}

/**
 * Returns the changes from the current to the requested items; empty when they are equal. A price that the subscription
 * has stays valid when it is no longer offered; a price that replaces another takes over its item.
 */
export async function planItemChanges(
  ctx: Context,
  row: Subscription,
  requested: RequestedItems,
  at: PricesAt,
): Promise<ItemChange[]> {
  const { price_ids: requestedIds, quantities } = requested;
  const source = 'parameter' in at(0) ? { parameter: 'quantities' } : { pointer: '/quantities' };
  if (quantities && quantities.length !== requestedIds?.length)
    throw apiError('invalid_parameter', 'Name the prices too, and one quantity for each of them.', { source });
  if (!requestedIds) return [];
  assertDistinctPrices(requestedIds, at);
  const items = row.items as Item[];
  const isCurrent = (id: string) => items.some(({ price_id }) => price_id === id);
  const addedIds = requestedIds.filter((id) => !isCurrent(id));
  // The offered prices are those of the connected account.
  if (addedIds.length > 0 && (await findStripeAccount(ctx)) !== row.accountId)
    throw apiError(
      'conflict',
      'This subscription is at a Stripe account that is not connected: its plan stays as it is.',
      {
        people:
          'It belongs to a Stripe account that is not connected any more. Create a new subscription for the patient instead.',
      },
    );
  const atAdded: PricesAt = (n) => at(requestedIds.indexOf(addedIds[n] ?? ''));
  const plans = await getOfferedPlans(ctx, row.accountId, addedIds, atAdded);
  const { currency, billingPeriod: interval, billingInterval: count } = row;
  const currentBilling = requestedIds.some(isCurrent) ? { currency, interval, count } : null;
  assertSameBilling(plans, currentBilling, atAdded);
  if (plans.some((plan) => plan.currency !== currency))
    throw apiError('invalid_parameter', 'A subscription keeps its currency; cancel it and make another.', {
      source: atAdded(0),
    });

  const quantityOf = (id: string) => quantities?.[requestedIds.indexOf(id)] ?? 1;
  const replaceable = items.filter(({ price_id }) => !requestedIds.includes(price_id));
  return [
    ...items
      .filter(({ price_id, quantity }) => requestedIds.includes(price_id) && quantity !== quantityOf(price_id))
      .map(({ id, price_id }) => ({ id, quantity: quantityOf(price_id) })),
    ...addedIds.map((price, n) => ({
      ...(replaceable[n] && { id: replaceable[n].id }),
      price,
      quantity: quantityOf(price),
    })),
    ...replaceable.slice(addedIds.length).map(({ id }) => ({ id, deleted: true as const })),
  ];
}

/**
 * The prices that a change adds; the patient may have each once. Other subscriptions with one of them are read from
 * Stripe first: they may have ended.
 */
export async function findAddedPrices(ctx: Context, { id: selfId, patientId }: Subscription, items: ItemChange[]) {
  const added: Unique = { selfId, patientId, priceIds: items.flatMap(({ price }) => price ?? []) };
  for (const { id } of await findDuplicates(ctx.db, ctx, added)) await syncSubscription(ctx, id);
  return added;
}

/** The proration that the caller requests, else the clinic's setting. */
export async function prorationOf(ctx: Context, requested: Proration | undefined): Promise<Proration> {
  if (requested) return requested;
  return (await getBillingSettings(ctx.db, ctx.tenantId)).proration;
}

/** Maps an error of Stripe about a change to one that the caller can act on. */
export function throwChangeError(error: unknown, at: PricesAt): never {
  const { param, reason } = error instanceof StripeRejection ? error : { param: '', reason: '' };
  const isQuery = 'parameter' in at(0);
  if (param.includes('proration_date'))
    throw apiError('invalid_parameter', 'The moment of the change must lie in the running period.', {
      source: isQuery ? { parameter: 'proration_date' } : { pointer: '/proration_date' },
    });
  if (param.includes('items') && reason !== 'rate_limit')
    throw apiError('price_not_offered', 'One of these prices is no longer on offer.', { source: at(0) });
  throw error;
}
