import type { Ledger } from '../ledger.ts';
import type { PendingLine, Subscription, SubscriptionItem } from '../objects.ts';

/** Credits for the unused rest of what is replaced and charges for the same rest of what replaces it, by the second. */
export function prorations(
  ledger: Ledger,
  subscription: Subscription,
  after: SubscriptionItem[],
  now: number,
): PendingLine[] {
  const { start, end } = subscription._period;
  const share = Math.max(0, Math.min(1, (end - now) / (end - start)));
  const line = (item: SubscriptionItem, sign: 1 | -1): PendingLine => {
    const price = ledger.data.objects.price[item.price]!;
    const name = ledger.data.objects.product[price.product]?.name ?? price.product;
    return {
      amount: sign * Math.round(price.unit_amount * item.quantity * share),
      description: `${sign > 0 ? 'Remaining' : 'Unused'} time on ${item.quantity} × ${name}`,
      price: price.id,
      start: now,
      end,
    };
  };
  const same = (a: SubscriptionItem, b: SubscriptionItem) =>
    a.id === b.id && a.price === b.price && a.quantity === b.quantity;
  const removed = subscription._items.filter((item) => !after.some((other) => same(item, other)));
  const added = after.filter((item) => !subscription._items.some((other) => same(item, other)));
  return [...removed.map((item) => line(item, -1)), ...added.map((item) => line(item, 1))];
}
