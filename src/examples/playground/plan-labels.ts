import { formatMoney } from '#web/ui/format-money.ts';
import { formatInstant } from '#web/ui/format-time.ts';
import type { Plan, Subscription } from './steps/api-types.ts';

type BillingInterval = { interval: string | null; interval_count: number | null };

const intervalLabel = ({ interval, interval_count }: BillingInterval): string =>
  (interval_count ?? 1) === 1 ? `per ${interval}` : `every ${interval_count} ${interval}s`;

/** For example "$49.00 per month". */
export function priceOf({ unit_amount, currency, recurring }: Plan): string {
  return unit_amount === null || !recurring ? '' : `${formatMoney(unit_amount, currency)} ${intervalLabel(recurring)}`;
}

/** The same for a subscription. */
export function priceOfSubscription({ plan_price, currency, billing_period, billing_interval }: Subscription): string {
  if (plan_price === null) return '';
  return `${formatMoney(plan_price, currency)} ${intervalLabel({ interval: billing_period, interval_count: billing_interval })}`;
}

/** Returns the next payment, or when the subscription ends. */
export function termsOf(subscription: Subscription, zone: string): string {
  const { trial_end, cancel_at, current_period_end, upcoming_invoice_date } = subscription;
  const day = (instant: string) => formatInstant(instant, 'date', zone);
  if (cancel_at) return `Ends on ${day(cancel_at)}.`;
  if (subscription.cancel_at_period_end && current_period_end) return `Ends on ${day(current_period_end)}.`;
  if (trial_end && subscription.status === 'trialing')
    return `Free until ${day(trial_end)}, then ${priceOfSubscription(subscription)}.`;
  if (upcoming_invoice_date) return `Next payment on ${day(upcoming_invoice_date)}.`;
  return '';
}
