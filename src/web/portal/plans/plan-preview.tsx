'use client';
import { actionLabel, type Terms } from '#web/ui/checkout-terms.ts';
import { minorUnitsOf } from '#web/ui/parse-money.ts';
import { PlanSummary } from '#web/ui/plan-summary.tsx';
import { type DetailsValues, type PriceValues, wholeNumber } from './plan-form-values.ts';

const DAY_MS = 86_400_000;

type Previewed = Pick<DetailsValues, 'name' | 'trial_period_in_days'> & PriceValues;

/** Returns what the payment page of a new subscription says of a plan; null while its price is not complete. */
export function previewOf(values: Previewed, now: number): (Terms & { name: string }) | null {
  const { name, unit_amount, currency, recurring, trial_period_in_days } = values;
  const price = minorUnitsOf(unit_amount, currency);
  const interval = wholeNumber(recurring.interval_count);
  if (!(price > 0) || !(interval >= 1)) return null;
  const days = wholeNumber(trial_period_in_days);
  const hasTrial = days >= 1;
  return {
    name: name.trim() || 'Your plan',
    plan_price: price,
    currency,
    billing_period: recurring.interval,
    billing_interval: interval,
    trial_end: hasTrial ? new Date(now + days * DAY_MS).toISOString() : null,
    next_action: hasTrial ? 'setup' : 'payment',
    amount_due: hasTrial ? 0 : price,
  };
}

/** The plan as a patient sees it on the payment page, with the texts of that page. */
export function PlanPreview({ values }: { values: Previewed }) {
  const view = previewOf(values, Date.now());
  return (
    <section aria-label="What a patient sees" className="grid gap-2 rounded-lg bg-sunken/60 p-3">
      <h3 className="text-[13px] font-medium">What a patient sees before paying today</h3>
      {view ? (
        <>
          <PlanSummary view={view} />
          <p className="text-[13px] text-muted">The button says “{actionLabel(view)}”.</p>
        </>
      ) : (
        <p className="text-[13px] text-muted">Write a price to see it.</p>
      )}
    </section>
  );
}
