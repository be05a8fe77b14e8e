import type { CheckoutView } from '#contract/subscriptions.ts';
import { formatMoney } from '#portal/ui/format-money.ts';
import { formatInstant } from '#portal/ui/format-time.ts';
import { describeInterval } from '../plans/plan-terms.ts';

/** What the patient agrees to, in sentences: due now, and what comes after. */
export function describeTerms(checkout: CheckoutView, timeZone: string): { dueNow: string; after: string | null } {
  const { plan_price, currency, billing_period, billing_interval, trial_end } = checkout;
  const price = plan_price === null ? null : formatMoney(plan_price, currency);
  const every = billing_period && describeInterval({ interval: billing_period, interval_count: billing_interval ?? 1 });
  const regular = price && [price, every].filter(Boolean).join(' ');
  const dueNow = formatMoney(checkout.amount_due, currency);
  if (checkout.next_action === 'setup' && trial_end)
    return {
      dueNow,
      after: regular && `Your trial is free until ${formatInstant(trial_end, 'date', timeZone)}, then ${regular}.`,
    };
  return { dueNow, after: regular && `Then ${regular}, until you or your clinic cancel.` };
}
