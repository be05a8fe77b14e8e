import { z } from 'zod';
import { integer, text } from './conventions.ts';
import { MAX_PLAN_DESCRIPTION_LENGTH } from './limits.ts';
import type { PlanView } from './subscriptions.ts';

/** Portal: plans are made and changed by staff only; the API reads them. */

const INTERVALS = ['day', 'week', 'month', 'year'] as const;
/** Stripe's longest billing period: three years. */
export const MAX_INTERVALS: Record<(typeof INTERVALS)[number], number> = { day: 1095, week: 156, month: 36, year: 3 };
/** Stripe's largest amount, in minor units. */
export const MAX_AMOUNT = 99_999_999;
export const MAX_TRIAL_DAYS = 730;

export const PlanCurrency = z.string().regex(/^[a-z]{3}$/, 'Choose a currency.');
const Recurring = z
  .strictObject({ interval: z.enum(INTERVALS), interval_count: integer(1, MAX_INTERVALS.day) })
  .refine(({ interval, interval_count }) => interval_count <= MAX_INTERVALS[interval], {
    path: ['interval_count'],
    error: 'A plan is billed at least once in three years.',
  });

/** What Stripe never changes on a price: another amount, currency or period is another price. */
const terms = { unit_amount: integer(1, MAX_AMOUNT), currency: PlanCurrency, recurring: Recurring };
/** What can be changed at any time. */
const details = {
  name: text(250),
  description: text(MAX_PLAN_DESCRIPTION_LENGTH).nullable(),
  nickname: text(100).nullable(),
  trial_period_in_days: integer(1, MAX_TRIAL_DAYS).nullable(),
};
const target = { price_id: text(255) };
/** The state in which the caller has read the plan. */
const asRead = { ...target, version: text(64) };

/** `request_id` is equal when the same form is sent again, so that it makes one plan. */
export const CreatePlanInput = z.strictObject({ request_id: z.uuid(), ...details, ...terms });
export type CreatePlanInput = z.infer<typeof CreatePlanInput>;

export const UpdatePlanInput = z.strictObject({ ...asRead, ...details });
export type UpdatePlanInput = z.infer<typeof UpdatePlanInput>;

export const ChangePriceInput = z.strictObject({ ...asRead, ...terms });
export type ChangePriceInput = z.infer<typeof ChangePriceInput>;

export const ArchivePlanInput = z.strictObject(target);
export type ArchivePlanInput = z.infer<typeof ArchivePlanInput>;

/** A plan as the Plans page shows it, also an archived one. */
export type CataloguePlanView = PlanView & {
  /** The price and its product are active. */
  offered: boolean;
  /** Changes with name, description, label and trial; sent along with a change. */
  version: string;
  /** The number of other prices of the product, which share its name and description. */
  others: number;
  /** How many of them are offered again with this one, because the product itself is archived. */
  revives: number;
  /** It has no tiers, packages or metered usage: a new price can replace it. */
  has_one_amount: boolean;
};

export type CatalogueView = {
  items: CataloguePlanView[];
  /** Currencies of new prices: the account's own first, then those of the plans on offer. */
  currencies: string[];
};

/** How many live subscriptions have a price. */
export type PlanUsageView = { live_subscriptions: number };
