import type { CheckoutView } from '#contract/subscriptions.ts';
import { formatMoney } from '../ui/format-money.ts';
import { formatInstant } from '../ui/format-time.ts';

type Terms = Pick<
  CheckoutView,
  'plan_price' | 'currency' | 'billing_period' | 'billing_interval' | 'trial_end' | 'next_action' | 'amount_due'
>;

/** "$49.00 per month", "$120.00 every 3 months"; null when the price varies. */
export function priceWords({ plan_price, currency, billing_period, billing_interval }: Terms): string | null {
  if (plan_price === null || !billing_period) return null;
  const each = (billing_interval ?? 1) === 1 ? `per ${billing_period}` : `every ${billing_interval} ${billing_period}s`;
  return `${formatMoney(plan_price, currency)} ${each}`;
}

/** What happens with the money, and when. */
export function termsWords(view: Terms, timeZone: string): string {
  const price = priceWords(view);
  if (view.next_action === 'setup')
    return view.trial_end
      ? `Free until ${formatInstant(view.trial_end, 'date', timeZone)}${price ? `, then ${price}` : ''}. Nothing is charged today.`
      : 'Nothing is charged today.';
  return price
    ? `${price}, charged to this card each time until you cancel.`
    : 'Charged to this card until you cancel.';
}

/** The label of the button that does it. */
export const actionWords = ({ next_action, amount_due, currency }: Terms): string =>
  next_action === 'setup' ? 'Save card' : `Pay ${formatMoney(amount_due, currency)}`;

export type Outcome = 'done' | 'working' | 'ended';

/** Where a link stands that has nothing more to ask for. */
export function outcomeOf(status: CheckoutView['status']): Outcome {
  if (status === 'canceled' || status === 'incomplete_expired') return 'ended';
  return status === 'active' || status === 'trialing' ? 'done' : 'working';
}
