import { z } from 'zod';
import { flag, Instant, integer, text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';
import { Currency, SubscriptionId } from './subscriptions.ts';

export const Proration = z.enum(['now', 'next_invoice', 'none']).meta({
  description:
    'How what is left of the running period is billed: `now`, with the `next_invoice`, or `none` of it. As the organisation has set it unless said.',
});
export type Proration = z.infer<typeof Proration>;

export const Prices = z.union([text(255).transform((one) => [one]), z.array(text(255)).min(1).max(20)]).meta({
  description:
    'What the subscription is to consist of, all of one currency and billing period; one that it has is kept.',
  override: { type: 'array', items: { type: 'string', maxLength: 255 }, minItems: 1, maxItems: 20 },
  examples: [[EXAMPLE.priceId]],
});
const Quantity = integer(1, 10_000);
const Quantities = z.union([Quantity.transform((one) => [one]), z.array(Quantity).min(1).max(20)]).meta({
  description: 'How many of each of `price_ids`, in that order; one of each unless said.',
  override: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 10_000 }, minItems: 1, maxItems: 20 },
  examples: [[1]],
});
const prorationDate = Instant.optional().meta({
  description:
    'Up to when the old prices count; `proration_date` of a preview, so that the change costs what it said. Not for patients.',
  examples: ['2026-11-16T15:04:05.000Z'],
});

const ALLOW_DUPLICATE =
  'Although the patient has another subscription to a price that is added, which else is a `conflict` with its id in `meta.subscription_id`.';

/** What is left out stays as it is. */
export const UpdateSubscriptionInput = z.strictObject({
  id: SubscriptionId,
  price_ids: Prices.optional(),
  quantities: Quantities.optional(),
  proration: Proration.optional(),
  proration_date: prorationDate,
  allow_duplicate: z
    .boolean()
    .optional()
    .meta({ description: ALLOW_DUPLICATE, examples: [false] }),
  cancel_at_period_end: z.literal(false).optional().meta({ description: '`false` undoes an end that was scheduled.' }),
  trial_end: z
    .union([z.literal('now'), Instant], { error: 'must be now or an instant, such as 2026-12-24T09:00:00Z' })
    .optional()
    .meta({
      description:
        'Of a trial that runs: `now` ends it and bills the first period at once, an instant moves its end, two years ahead at most. By itself; not for patients.',
      override: { type: 'string' },
      examples: ['2026-12-24T09:00:00.000Z'],
    }),
  promotion_code: text(100)
    .optional()
    .meta({
      description:
        'Redeemed as long as nothing is paid. What waits for its first payment is made again with it: the response has another `id`, to which `replaced_by` of this one leads. A trial keeps its `id`. By itself; for patients only with `allow_promotion_codes`.',
      examples: ['WELCOME25'],
    }),
});
export type UpdateSubscriptionInput = z.infer<typeof UpdateSubscriptionInput>;

export const PreviewSubscriptionInput = z.strictObject({
  id: SubscriptionId,
  price_ids: Prices,
  quantities: Quantities.optional(),
  proration: Proration.optional(),
  proration_date: prorationDate,
  allow_duplicate: flag.optional().meta({ description: ALLOW_DUPLICATE, examples: [false] }),
});
export type PreviewSubscriptionInput = z.infer<typeof PreviewSubscriptionInput>;

/** What a change of prices would cost, as Stripe reckons it. */
export const SubscriptionPreviewView = z
  .object({
    subscription_id: z.string().meta({ examples: [EXAMPLE.subscriptionId] }),
    patient_id: PatientId,
    price_ids: z.array(z.string()).meta({ examples: [[EXAMPLE.priceId]] }),
    quantities: z.array(z.int()).meta({ examples: [[1]] }),
    proration: Proration,
    proration_date: UtcInstant.meta({ description: 'The moment that this was reckoned for.' }),
    currency: Currency,
    due_now: z.int().meta({ description: 'What is charged at once, in minor units.', examples: [0] }),
    proration_amount: z
      .int()
      .meta({ description: 'For what is left of the period; negative for a credit.', examples: [2450] }),
    next_invoice: z
      .object({
        date: UtcInstant.meta({ examples: ['2026-12-16T15:04:05.000Z'] }),
        amount_due: z
          .int()
          .meta({ description: 'In minor units, after discounts, tax and credits.', examples: [12_350] }),
        subtotal: z.int().meta({ description: 'Before discounts and tax.', examples: [12_350] }),
        discount: z.int().meta({ description: 'What is taken off.', examples: [0] }),
        tax: z.int().meta({ description: 'As Stripe reckons it; 0 where it is not asked to.', examples: [0] }),
      })
      .nullable()
      .meta({ description: 'Null when none will follow.' }),
    lines: z.array(
      z.object({
        description: z
          .string()
          .nullable()
          .meta({ examples: ['Remaining time on Essential care'] }),
        amount: z.int().meta({ description: 'Before discounts; negative for a credit.', examples: [2450] }),
        proration: z.boolean().meta({ examples: [true] }),
        period_start: UtcInstant,
        period_end: UtcInstant.meta({ examples: ['2026-12-16T15:04:05.000Z'] }),
      }),
    ),
  })
  .meta({ component: 'SubscriptionPreview' });
export type SubscriptionPreviewView = z.infer<typeof SubscriptionPreviewView>;
