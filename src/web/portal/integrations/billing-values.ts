import { z } from 'zod';
import { TrialEnd } from '#contract/integrations.ts';
import { Proration } from '#contract/subscription-changes.ts';

const MAX_DAYS = 90;
const DAYS = `Enter a whole number of days from 0 to ${MAX_DAYS}.`;

/** Settings as form values: days are typed as text. */
export const BillingValues = z.object({
  trial_end: TrialEnd,
  trial_once: z.boolean(),
  grace_days: z
    .string()
    .trim()
    .regex(/^\d{1,3}$/, DAYS)
    .transform(Number)
    .refine((days) => days <= MAX_DAYS, DAYS),
  patients_may_cancel: z.boolean(),
  patients_may_change_plan: z.boolean(),
  proration: Proration,
});
