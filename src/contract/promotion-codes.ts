import { z } from 'zod';
import { text } from './conventions.ts';
import { Prices } from './subscription-changes.ts';

export const GetPromotionCodeInput = z.strictObject({
  code: text(100).meta({ description: 'In any case of letters.', examples: ['WELCOME20'] }),
  price_ids: Prices.optional().meta({ description: 'Prices on offer, to learn whether the code goes with them.' }),
});
export type GetPromotionCodeInput = z.infer<typeof GetPromotionCodeInput>;

/** What a promotion code takes off. */
export const PromotionCodeView = z
  .object({
    code: z.string().meta({ examples: ['WELCOME20'] }),
    valid: z.boolean().meta({
      description: 'Neither expired, used up nor switched off.',
      examples: [true],
    }),
    applies: z
      .boolean()
      .nullable()
      .meta({
        description:
          'Whether it takes something off `price_ids`; null where none were given. To a patient also whether it is for them: they have paid nothing yet where `first_time_only`, and it is no other customer’s.',
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
      .meta({ description: 'Of `amount_off`.', examples: [null] }),
    duration: z
      .enum(['once', 'repeating', 'forever'])
      .nullable()
      .meta({ description: 'For one invoice, for some months, or for all.', examples: ['once'] }),
    duration_in_months: z
      .int()
      .nullable()
      .meta({ description: 'Of a repeating one.', examples: [null] }),
    minimum_amount: z
      .int()
      .nullable()
      .meta({ description: 'What has to be bought at least, in minor units.', examples: [null] }),
    first_time_only: z
      .boolean()
      .meta({ description: 'For a patient who has not paid anything yet.', examples: [false] }),
  })
  .meta({ component: 'PromotionCode' });
export type PromotionCodeView = z.infer<typeof PromotionCodeView>;
