'use client';
import type { ReactNode } from 'react';
import { actionLabel, type Terms } from '#web/ui/checkout-terms.ts';
import { cn } from '#web/ui/cn.ts';
import { minorUnitsOf } from '#web/ui/parse-money.ts';
import { PlanSummary } from '#web/ui/plan-summary.tsx';
import { type DetailsValues, isTrial, type PriceValues, priceProblems, wholeNumber } from './plan-form-values.ts';

const DAY_MS = 86_400_000;

type Previewed = Pick<DetailsValues, 'name' | 'trial_period_in_days'> & PriceValues;

/** Returns what the payment page of a new subscription says of a plan; null while the plan cannot be saved like this. */
export function previewOf(values: Previewed, now: number): (Terms & { name: string }) | null {
  const { name, unit_amount, currency, recurring, trial_period_in_days } = values;
  if (priceProblems(values).length > 0 || !isTrial(trial_period_in_days)) return null;
  const price = minorUnitsOf(unit_amount, currency);
  const days = wholeNumber(trial_period_in_days);
  const hasTrial = days >= 1;
  return {
    name: name.trim() || 'Your plan',
    plan_price: price,
    currency,
    billing_period: recurring.interval,
    billing_interval: wholeNumber(recurring.interval_count),
    trial_end: hasTrial ? new Date(now + days * DAY_MS).toISOString() : null,
    next_action: hasTrial ? 'setup' : 'payment',
    amount_due: hasTrial ? 0 : price,
  };
}

type WithPreviewProps = {
  /** Null for a plan whose price these fields cannot make right. */
  values: Previewed | null;
  children: ReactNode;
};

/** Fields, and next to them the plan as a patient sees it; below them on phones. */
export const WithPreview = ({ values, children }: WithPreviewProps) => (
  <div className={cn('grid grid-cols-1 gap-4', values && 'md:grid-cols-[minmax(0,1fr)_18rem]')}>
    <div className="grid content-start gap-4">{children}</div>
    {values && <PlanPreview values={values} />}
  </div>
);

/** The plan as a patient sees it on the payment page, with the texts of that page. */
function PlanPreview({ values }: { values: Previewed }) {
  const view = previewOf(values, Date.now());
  return (
    <section
      aria-label="What a patient sees"
      className="grid content-start gap-2 self-start rounded-lg bg-sunken/60 p-3 md:sticky md:top-0"
    >
      <h3 className="text-[13px] font-medium">What a patient sees before paying today</h3>
      {view ? (
        <>
          <PlanSummary view={view} />
          <p className="text-[13px] text-muted">The button says “{actionLabel(view)}”.</p>
        </>
      ) : (
        <p className="text-[13px] text-muted">
          {values.unit_amount.trim() === '' ? 'Write a price to see it.' : 'Correct the fields to see it.'}
        </p>
      )}
    </section>
  );
}
