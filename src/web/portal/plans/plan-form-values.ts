import { z } from 'zod';
import { MAX_PLAN_DESCRIPTION_LENGTH } from '#contract/limits.ts';
import { minorDigits } from '#contract/minor-units.ts';
import {
  type CataloguePlanView,
  type ChangePriceInput,
  MAX_AMOUNT,
  MAX_INTERVALS,
  MAX_TRIAL_DAYS,
  type UpdatePlanInput,
} from '#contract/plan-changes.ts';
import { formatMoney } from '#web/ui/format-money.ts';
import { amountText, minorUnitsOf } from '#web/ui/parse-money.ts';

/** Stripe charges no less, in minor units (Stripe docs, "Minimum charge amounts"). */
const SMALLEST_CHARGE: Record<string, number> = { usd: 50 };

export const INTERVAL_OPTIONS = [
  { value: 'day', label: 'Days' },
  { value: 'week', label: 'Weeks' },
  { value: 'month', label: 'Months' },
  { value: 'year', label: 'Years' },
];

/** Returns a whole number that is typed with digits only, or NaN. */
export const wholeNumber = (text: string): number => (/^\d{1,7}$/.test(text.trim()) ? Number(text) : Number.NaN);
export const isTrial = (text: string): boolean =>
  text.trim() === '' || (wholeNumber(text) >= 1 && wholeNumber(text) <= MAX_TRIAL_DAYS);

export const detailsShape = {
  name: z.string().trim().min(1, 'Write the name that patients see.').max(250, 'Use at most 250 characters.'),
  description: z.string().trim().max(MAX_PLAN_DESCRIPTION_LENGTH),
  nickname: z.string().trim().max(100, 'Use at most 100 characters.'),
  trial_period_in_days: z.string().refine(isTrial, 'Write whole days from 1 to 730, or leave it empty.'),
};
export const priceShape = {
  unit_amount: z.string(),
  currency: z.string(),
  recurring: z.object({ interval: z.enum(['day', 'week', 'month', 'year']), interval_count: z.string() }),
};

export type DetailsValues = { name: string; description: string; nickname: string; trial_period_in_days: string };
export type PriceValues = {
  unit_amount: string;
  currency: string;
  recurring: { interval: 'day' | 'week' | 'month' | 'year'; interval_count: string };
};

/** Returns what is wrong with an amount, or null. */
export function amountProblem(text: string, currency: string, smallest = 1): string | null {
  const amount = minorUnitsOf(text, currency);
  if (!(amount > 0)) return `Write an amount, such as ${(49).toFixed(minorDigits(currency))}.`;
  if (amount < smallest) return `Stripe charges no less than ${formatMoney(smallest, currency)}.`;
  if (amount > MAX_AMOUNT) return `Stripe takes no more than ${formatMoney(MAX_AMOUNT, currency)}.`;
  return null;
}

const periodProblem = ({ interval, interval_count }: PriceValues['recurring']): string | null => {
  const count = wholeNumber(interval_count);
  const max = MAX_INTERVALS[interval];
  return count >= 1 && count <= max ? null : `Write a whole number from 1 to ${max.toLocaleString('en-US')}.`;
};

type Problem = { path: string[]; message: string };

/** Returns what is wrong with a price where two fields decide: the digits of the currency, and the longest period. */
export function priceProblems({ unit_amount, currency, recurring }: PriceValues): Problem[] {
  const problems = [
    { path: ['unit_amount'], message: amountProblem(unit_amount, currency, SMALLEST_CHARGE[currency]) },
    { path: ['recurring', 'interval_count'], message: periodProblem(recurring) },
  ];
  return problems.filter((problem): problem is Problem => problem.message !== null);
}

export function checkPrice(values: PriceValues, context: z.core.$RefinementCtx): void {
  for (const problem of priceProblems(values)) context.addIssue({ code: 'custom', ...problem });
}

export const NO_DETAILS: DetailsValues = { name: '', description: '', nickname: '', trial_period_in_days: '' };

export const detailsOf = (plan: CataloguePlanView): DetailsValues => ({
  name: plan.name,
  description: plan.description ?? '',
  nickname: plan.nickname ?? '',
  trial_period_in_days: plan.trial_period_in_days === null ? '' : String(plan.trial_period_in_days),
});

export const priceOf = ({ unit_amount, currency, recurring }: CataloguePlanView): PriceValues => ({
  unit_amount: unit_amount === null ? '' : amountText(unit_amount, currency),
  currency,
  recurring: {
    interval: recurring?.interval ?? 'month',
    interval_count: String(recurring?.interval_count ?? 1),
  },
});

export const newPrice = (currency: string): PriceValues => ({
  unit_amount: '',
  currency,
  recurring: { interval: 'month', interval_count: '1' },
});

/** Converts valid values for the server. */
export const toDetails = (values: DetailsValues): Omit<UpdatePlanInput, 'price_id' | 'version'> => ({
  name: values.name,
  description: values.description || null,
  nickname: values.nickname || null,
  trial_period_in_days: values.trial_period_in_days.trim() ? wholeNumber(values.trial_period_in_days) : null,
});
export const toPrice = ({
  unit_amount,
  currency,
  recurring,
}: PriceValues): Omit<ChangePriceInput, 'price_id' | 'version'> => ({
  unit_amount: minorUnitsOf(unit_amount, currency),
  currency,
  recurring: { interval: recurring.interval, interval_count: wholeNumber(recurring.interval_count) },
});
