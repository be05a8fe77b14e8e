import { z } from 'zod';
import { integer, LocalDate, text } from './conventions.ts';
import { MAX_AMOUNT, PlanCurrency } from './plan-changes.ts';

/** Portal: promotion codes are made by staff only; the API looks them up. */

const MAX_MONTHS = 36;
const MAX_REDEMPTIONS = 1_000_000;

const Discount = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('percent'),
    percent_off: z
      .number()
      .positive()
      .max(100)
      .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, 'must have at most two decimals'),
  }),
  z.strictObject({ kind: z.literal('amount'), amount_off: integer(1, MAX_AMOUNT), currency: PlanCurrency }),
]);
const Duration = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['once', 'forever']) }),
  z.strictObject({ kind: z.literal('repeating'), months: integer(1, MAX_MONTHS) }),
]);

export const CreatePromotionCodeInput = z.strictObject({
  /** Equal when the same form is sent again, so that it makes one code. */
  request_id: z.uuid(),
  /** Null: Stripe makes one. */
  code: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9-]{3,50}$/, 'Use 3 to 50 letters (A to Z), digits and dashes.')
    .nullable(),
  discount: Discount,
  duration: Duration,
  /** Products of plans on offer; empty means all plans. */
  products: z.array(text(255)).max(50),
  max_redemptions: integer(1, MAX_REDEMPTIONS).nullable(),
  /** The last day, in the clinic's time zone. */
  last_day: LocalDate.nullable(),
  first_time_only: z.boolean(),
});
export type CreatePromotionCodeInput = z.infer<typeof CreatePromotionCodeInput>;

export const ArchivePromotionCodeInput = z.strictObject({ id: text(255) });
export type ArchivePromotionCodeInput = z.infer<typeof ArchivePromotionCodeInput>;

/** A promotion code as the Plans page shows it. */
export type ListedCodeView = {
  id: string;
  code: string;
  state: 'active' | 'expired' | 'used_up' | 'archived';
  percent_off: number | null;
  /** In minor units. */
  amount_off: number | null;
  currency: string | null;
  duration: 'once' | 'repeating' | 'forever' | null;
  duration_in_months: number | null;
  /** Ids of products; empty for all plans. */
  products: string[];
  times_redeemed: number;
  max_redemptions: number | null;
  /** The last day, in the clinic's time zone. */
  last_day: string | null;
  first_time_only: boolean;
  /** Whether only one customer may use it, as Stripe's dashboard allows. */
  for_one_customer: boolean;
};
