import type { SubscriptionPreviewView } from '#contract/subscription-changes.ts';
import { formatMoney } from '#web/ui/format-money.ts';

type Bill = NonNullable<SubscriptionPreviewView['next_invoice']>;

/** Parts of a bill's amount, where it is not the price alone: "$49.00, less $9.80 discount, with $3.92 tax". */
export function billParts({ amount_due, subtotal, discount, tax }: Bill, currency: string): string | null {
  const money = (amount: number) => formatMoney(amount, currency);
  const credit = subtotal - discount + tax - amount_due;
  const parts = [
    discount > 0 && `less ${money(discount)} discount`,
    tax > 0 && `with ${money(tax)} tax`,
    credit > 0 && `less ${money(credit)} credit`,
  ].filter(Boolean);
  return parts.length > 0 ? [money(subtotal), ...parts].join(', ') : null;
}
