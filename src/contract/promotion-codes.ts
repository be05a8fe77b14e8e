import { z } from 'zod';
import { text } from './conventions.ts';
import { Prices } from './subscription-changes.ts';

export const GetPromotionCodeInput = z.strictObject({
  code: text(100).meta({ description: 'Not case-sensitive.', examples: ['WELCOME20'] }),
  price_ids: Prices.optional().meta({ description: 'Prices on offer, to check whether the code applies to them.' }),
});
export type GetPromotionCodeInput = z.infer<typeof GetPromotionCodeInput>;

/** The discount of a promotion code. */
export const PromotionCodeView = z
  .object({
    code: z.string().meta({ examples: ['WELCOME20'] }),
    valid: z.boolean().meta({
      description: 'Whether the code is not expired, used up or disabled.',
      examples: [true],
    }),
    applies: z
      .boolean()
      .nullable()
      .meta({
        description:
          'Whether it reduces `price_ids`; null without `price_ids`. For a patient, also whether the patient may use it: no payment so far where `first_time_only`, and not a code of another customer.',
        examples: [true],
      }),
    percent_off: z
      .number()
      .nullable()
      .meta({ examples: [20] }),
    amount_off: z
      .int()
      .nullable()
      .meta({ description: 'In minor units.', examples: [null] }),
    currency: z
      .string()
      .nullable()
      .meta({ description: 'The currency of `amount_off`.', examples: [null] }),
    duration: z
      .enum(['once', 'repeating', 'forever'])
      .nullable()
      .meta({ description: 'For one invoice, for some months, or for all.', examples: ['once'] }),
    duration_in_months: z
      .int()
      .nullable()
      .meta({ description: 'Only with `repeating`.', examples: [null] }),
    minimum_amount: z
      .int()
      .nullable()
      .meta({ description: 'The minimum purchase, in minor units.', examples: [null] }),
    first_time_only: z
      .boolean()
      .meta({ description: 'Only for patients who have not paid anything yet.', examples: [false] }),
  })
  .meta({ component: 'PromotionCode' });
export type PromotionCodeView = z.infer<typeof PromotionCodeView>;
