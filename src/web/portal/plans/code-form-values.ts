import { z } from 'zod';
import type { CreatePromotionCodeInput } from '#contract/promotion-code-changes.ts';
import { addDays } from '#web/ui/format-time.ts';
import { minorUnitsOf } from '#web/ui/parse-money.ts';
import type { codeTerms } from './code-terms.ts';
import { amountProblem, wholeNumber } from './plan-form-values.ts';

const MAX_MONTHS = 36;
const MAX_YEARS = 5;

/** Parses a percentage as users write it, "20", "12.5", "12,5" or "20%"; NaN for other text. */
export function percentOf(text: string): number {
  const plain = text.trim().replace(/\s*%$/, '').replace(',', '.');
  return /^\d{1,3}(\.\d{1,2})?$/.test(plain) ? Number(plain) : Number.NaN;
}

/** The last day on which a code can end: Stripe keeps none valid for more than five years. */
export function latestLastDay(today: string): string {
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number);
  const sameDay = new Date(Date.UTC(year + MAX_YEARS, month - 1, day)).toISOString().slice(0, 10);
  // The code is valid until the end of its last day.
  return addDays(sameDay, -1);
}

const discountProblem = ({ kind, value }: Pick<CodeFormValues, 'kind' | 'value'>): string | null => {
  if (kind !== 'percent') return amountProblem(value, kind);
  const percent = percentOf(value);
  return percent > 0 && percent <= 100 ? null : 'Write a percentage from 0.01 to 100, such as 20.';
};

const monthsProblem = ({ duration, months }: Pick<CodeFormValues, 'duration' | 'months'>): string | null => {
  const count = wholeNumber(months);
  return duration !== 'repeating' || (count >= 1 && count <= MAX_MONTHS)
    ? null
    : `Write a whole number from 1 to ${MAX_MONTHS}.`;
};

export type CodeFormValues = {
  code: string;
  /** "percent", or the currency of an amount. */
  kind: string;
  value: string;
  duration: 'once' | 'repeating' | 'forever';
  months: string;
  products: string[];
  max_redemptions: string;
  last_day: string;
  first_time_only: boolean;
};

/** @param maxDay the latest last day, as YYYY-MM-DD */
export const codeSchema = (maxDay: string) =>
  z
    .object({
      code: z
        .string()
        .trim()
        .refine((text) => text === '' || /^[A-Za-z0-9-]{3,50}$/.test(text), {
          error: 'Use 3 to 50 letters (A to Z), digits and dashes.',
        }),
      kind: z.string(),
      value: z.string(),
      duration: z.enum(['once', 'repeating', 'forever']),
      months: z.string(),
      products: z.array(z.string()),
      max_redemptions: z
        .string()
        .refine((text) => text.trim() === '' || wholeNumber(text) >= 1, 'Write a whole number, or leave it empty.'),
      // Five digits in a year would come before four.
      last_day: z
        .string()
        .refine(
          (day) => day === '' || (day.length === maxDay.length && day <= maxDay),
          'Choose a day within five years.',
        ),
      first_time_only: z.boolean(),
    })
    .superRefine((values, context) => {
      const problems = { value: discountProblem(values), months: monthsProblem(values) };
      for (const [field, message] of Object.entries(problems))
        if (message) context.addIssue({ code: 'custom', path: [field], message });
    });

/** The fields of the form for the server's. */
export const CODE_FIELDS = {
  discount: 'value',
  'discount.currency': 'kind',
  currency: 'kind',
  'duration.months': 'months',
};

/** Returns the terms of a code for its preview; null while no code can have them. */
export function typedTerms(values: CodeFormValues): Parameters<typeof codeTerms>[0] | null {
  if (discountProblem(values) || monthsProblem(values)) return null;
  const { kind, value, duration, months } = values;
  return {
    percent_off: kind === 'percent' ? percentOf(value) : null,
    amount_off: kind === 'percent' ? null : minorUnitsOf(value, kind),
    currency: kind === 'percent' ? null : kind,
    duration,
    duration_in_months: duration === 'repeating' ? wholeNumber(months) : null,
  };
}

/** Converts valid values for the server. */
export const toCodeInput = (values: CodeFormValues): Omit<CreatePromotionCodeInput, 'request_id'> => ({
  code: values.code || null,
  discount:
    values.kind === 'percent'
      ? { kind: 'percent', percent_off: percentOf(values.value) }
      : { kind: 'amount', amount_off: minorUnitsOf(values.value, values.kind), currency: values.kind },
  duration:
    values.duration === 'repeating'
      ? { kind: 'repeating', months: wholeNumber(values.months) }
      : { kind: values.duration },
  products: values.products,
  max_redemptions: values.max_redemptions.trim() ? wholeNumber(values.max_redemptions) : null,
  last_day: values.last_day || null,
  first_time_only: values.first_time_only,
});
