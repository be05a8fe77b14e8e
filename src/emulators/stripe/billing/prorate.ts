import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Billed, PendingLine, Subscription, SubscriptionItem } from '../objects.ts';
import { stored } from '../state.ts';
import { periodOf } from './calendar.ts';
import { liveDiscounts, nameOf } from './invoice-lines.ts';

/**
 * Credits the unused time of removed items and charges the remaining time of added ones, by the
 * second. As in flexible billing mode, a credit is based on what was debited, including discounts, not
 * on the item's current price; a charge is net of discounts (`proration_discounts: included`).
 * @param after null when the subscription ends or a new period starts
 */
export function prorations(
  ledger: Ledger,
  before: Subscription,
  after: Subscription | null,
  at: number,
): PendingLine[] {
  const items = after?._items ?? [];
  const isSameItem = (a: SubscriptionItem, b: SubscriptionItem) =>
    a.id === b.id && a.price === b.price && a.quantity === b.quantity;
  const removed = before._items.filter((item) => !items.some((other) => isSameItem(item, other)));
  const added = items.filter((item) => !before._items.some((other) => isSameItem(item, other)));
  return [
    ...removed.flatMap((item) => creditLine(ledger, before, item, at)),
    ...added.map((item) => debitLine(ledger, after!, item, at)),
  ];
}

function creditLine(ledger: Ledger, subscription: Subscription, item: SubscriptionItem, at: number): PendingLine[] {
  const billed = item.billed === undefined ? asPriced(ledger, subscription, item) : item.billed;
  if (!billed || billed.end <= at) return [];
  const amount = Math.round((billed.amount * (billed.end - at)) / (billed.end - billed.start));
  return [{ ...lineOf(ledger, item, at, billed.end, 'Unused'), amount: -amount, credited: billed.line }];
}

/** For items stored by an earlier version, which did not record what was debited. */
function asPriced(ledger: Ledger, subscription: Subscription, item: SubscriptionItem): Billed {
  return { amount: discountedPrice(ledger, subscription, item), ...periodOf(subscription, item), line: null };
}

/** Also records the debit on the item. */
function debitLine(ledger: Ledger, subscription: Subscription, item: SubscriptionItem, at: number): PendingLine {
  const { start, end } = periodOf(subscription, item);
  const whole = discountedPrice(ledger, subscription, item);
  item.billed = { amount: whole, start, end, line: null };
  const amount = Math.round((whole * (end - at)) / (end - start));
  return { ...lineOf(ledger, item, at, end, 'Remaining'), amount, credited: null };
}

function lineOf({ data }: Ledger, item: SubscriptionItem, start: number, end: number, what: 'Unused' | 'Remaining') {
  const price = stored(data, 'price', item.price);
  const quantityPrefix = item.quantity === 1 ? '' : `${item.quantity} × `;
  const date = new Date(start * 1000).toLocaleDateString('en-GB', {
    day: '2-digit',
    month: 'short',
    timeZone: 'UTC',
    year: 'numeric',
  });
  return {
    description: `${what} time on ${quantityPrefix}${nameOf(data.objects.product[price.product], price)} after ${date}`,
    invoice_item: newId('ii'),
    item: item.id,
    price: price.id,
    quantity: item.quantity,
    start,
    end,
  };
}

/**
 * Returns an item's price for a whole period less percentage discounts; `amount_off` applies to whole invoices only.
 */
function discountedPrice(ledger: Ledger, subscription: Subscription, item: SubscriptionItem): number {
  const price = stored(ledger.data, 'price', item.price);
  const live = liveDiscounts(ledger, subscription, ledger.now(subscription.customer));
  const percents = live
    .filter(({ coupon }) => coupon._products.length === 0 || coupon._products.includes(price.product))
    .map(({ coupon }) => coupon.percent_off ?? 0);
  return percents.reduce((rest, percent) => rest - (rest * percent) / 100, price.unit_amount * item.quantity);
}
