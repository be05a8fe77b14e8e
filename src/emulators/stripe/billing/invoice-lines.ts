import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Coupon, Discount, PendingLine, Price, Subscription } from '../objects.ts';
import { stored } from '../state.ts';
import { periodOf, recurringOf } from './calendar.ts';
import { isLive } from './discounts.ts';

/** An invoice line before its invoice exists: a pending proration or the plan's own line. */
export interface Line extends Omit<PendingLine, 'invoice_item'> {
  invoice_item: string | null;
  discountable: boolean;
}

export interface LineOptions {
  /** Sets the amount of the plan's lines to 0. */
  trial?: boolean;
  /** Omits the plan's own lines; only the lines in `_pending_lines`. */
  pendingOnly?: boolean;
  /** The fraction of a whole period that each item's line covers; by default 1. */
  shares?: Map<string, number>;
  /** Ids of the items to bill; by default all. */
  items?: string[];
}

export function linesOf({ data }: Ledger, subscription: Subscription, options: LineOptions): Line[] {
  const pending = subscription._pending_lines.map((line) => ({ ...line, discountable: false }));
  if (options.pendingOnly) return pending;
  const billed = subscription._items.filter(({ id }) => options.items?.includes(id) ?? true);
  const plan = billed.map((item) => {
    const price = stored(data, 'price', item.price);
    const name = nameOf(data.objects.product[price.product], price);
    return {
      amount: options.trial ? 0 : Math.round(price.unit_amount * item.quantity * (options.shares?.get(item.id) ?? 1)),
      credited: null,
      description: options.trial
        ? `Trial period for ${name}`
        : `${item.quantity} × ${name} (at ${money(price.unit_amount, price.currency)} / ${intervalLabel(price)})`,
      discountable: true,
      invoice_item: null,
      item: item.id,
      price: item.price,
      quantity: item.quantity,
      ...periodOf(subscription, item),
    };
  });
  return [...pending, ...plan];
}

export function nameOf(product: { name: string } | undefined, price: Price): string {
  return product?.name ?? price.product;
}

function intervalLabel(price: Price): string {
  const { interval, interval_count } = recurringOf(price);
  return interval_count === 1 ? interval : `every ${interval_count} ${interval}s`;
}

function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

export interface LiveDiscount {
  discount: Discount;
  coupon: Coupon;
}

/** Returns the subscription's discounts that apply to an invoice created at `now`. */
export function liveDiscounts({ data }: Ledger, { discounts }: Subscription, now: number): LiveDiscount[] {
  return discounts
    .map((id) => stored(data, 'discount', id))
    .map((discount) => ({ discount, coupon: stored(data, 'coupon', discount.source.coupon) }))
    .filter(({ discount, coupon }) => isLive(discount, coupon, now));
}

/** Renders a line in Stripe's shape, with its discounts. */
export function wireLine(
  { data }: Ledger,
  line: Line,
  discountAmounts: { amount: number; discount: string }[],
  invoice: string,
  subscription: Subscription,
) {
  const { product, unit_amount } = stored(data, 'price', line.price);
  const proration = line.invoice_item !== null;
  const { credited } = line;
  return {
    id: newId('il'),
    object: 'line_item',
    amount: line.amount,
    currency: subscription.currency,
    description: line.description,
    discount_amounts: discountAmounts,
    discountable: line.discountable,
    discounts: [],
    invoice,
    livemode: false,
    metadata: {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: line.invoice_item,
        proration,
        proration_details: proration
          ? { credited_items: credited && { invoice: credited.invoice, invoice_line_items: [credited.id] } }
          : null,
        subscription: subscription.id,
        subscription_item: line.item,
      },
      type: 'subscription_item_details',
    },
    period: { start: line.start, end: line.end },
    pretax_credit_amounts: discountAmounts.map(({ amount, discount }) => ({ amount, discount, type: 'discount' })),
    pricing: {
      type: 'price_details',
      price_details: { price: line.price, product },
      unit_amount_decimal: String(unit_amount),
    },
    quantity: line.quantity,
    quantity_decimal: String(line.quantity),
    subscription: subscription.id,
    subtotal: line.amount,
    taxes: [],
  };
}

/** Records on each item what the new lines debit, so that a change can credit it. */
export function recordBilled(
  subscription: Subscription,
  lines: (Line & { id: string; net: number })[],
  invoice: string,
): void {
  for (const { end, id, invoice_item, item: itemId, net, start } of lines) {
    const item = subscription._items.find((candidate) => candidate.id === itemId);
    if (!item) continue;
    if (invoice_item === null) item.billed = { amount: net, start, end, line: { invoice, id } };
    else if (net > 0 && item.billed?.line === null) item.billed.line = { invoice, id };
  }
}
