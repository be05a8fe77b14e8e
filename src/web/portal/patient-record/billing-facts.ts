import type { PaymentMethodView } from '#contract/cards.ts';
import type { PaymentView } from '#contract/payments.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';

type Method = NonNullable<SubscriptionView['payment_method']> & { is_default?: boolean };

/** The patient's cards, the default first, and other payment methods of subscriptions. */
export function methodsOf(cards: PaymentMethodView[], live: SubscriptionView[]): Method[] {
  const saved: Method[] = cards.toSorted((a, b) => Number(b.is_default) - Number(a.is_default));
  const others = live.flatMap(({ payment_method: method }) => method ?? []);
  // The first entry of an id wins.
  return [...saved, ...others].filter(({ id }, at, all) => all.findIndex((one) => one.id === id) === at);
}

/** Remaining amounts of open bills, by currency. */
export function openBalances(open: PaymentView[]): { amount: number; currency: string }[] {
  const sums = new Map<string, number>();
  for (const { currency, amount_remaining } of open) sums.set(currency, (sums.get(currency) ?? 0) + amount_remaining);
  return [...sums].flatMap(([currency, amount]) => (amount > 0 ? { currency, amount } : []));
}
