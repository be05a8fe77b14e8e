import { z } from 'zod';
import { flag, Instant, integer, text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';
import { Currency, SubscriptionId } from './subscriptions.ts';

export const Proration = z.enum(['now', 'next_invoice', 'none']).meta({
  description:
    "How the rest of the current period is billed: `now`, on the `next_invoice`, or `none` of it. Defaults to the organisation's setting.",
});
export type Proration = z.infer<typeof Proration>;

export const Prices = z.union([text(255).transform((one) => [one]), z.array(text(255)).min(1).max(20)]).meta({
  description:
    'The prices of the subscription after the change, all of one currency and billing period; current prices in the list stay.',
  override: { type: 'array', items: { type: 'string', maxLength: 255 }, minItems: 1, maxItems: 20 },
  examples: [[EXAMPLE.priceId]],
});
const Quantity = integer(1, 10_000);
const Quantities = z.union([Quantity.transform((one) => [one]), z.array(Quantity).min(1).max(20)]).meta({
  description: 'The quantity of each of `price_ids`, in that order; the default is one of each.',
  override: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 10_000 }, minItems: 1, maxItems: 20 },
  examples: [[1]],
});
const prorationDate = Instant.optional().meta({
  description:
    'The instant up to which the old prices apply. Pass `proration_date` of a preview, so that the change costs the previewed amount. Not for patients.',
  examples: ['2026-11-16T15:04:05.000Z'],
});

const ALLOW_DUPLICATE =
  'Allows a price although the patient has another subscription to it. Without it, this is a `conflict` with the other id in `meta.subscription_id`.';

/** Omitted fields stay unchanged. */
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
  cancel_at_period_end: z.literal(false).optional().meta({ description: '`false` undoes a scheduled end.' }),
  trial_end: z
    .union([z.literal('now'), Instant], { error: 'must be now or an instant, such as 2026-12-24T09:00:00Z' })
    .optional()
    .meta({
      description:
        'For a running trial: `now` ends it and bills the first period immediately; an instant moves its end, at most two years ahead. Cannot be combined with other changes; not for patients.',
      override: { type: 'string' },
      examples: ['2026-12-24T09:00:00.000Z'],
    }),
  promotion_code: text(100)
    .optional()
    .meta({
      description:
        'Redeems a code while nothing is paid. A subscription that waits for its first payment is created again with the code: the response has another `id`, and `replaced_by` of this one contains it. A trial keeps its `id`. Cannot be combined with other changes; for patients only with `allow_promotion_codes`.',
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

/** The cost of a price change, as Stripe previews it. */
export const SubscriptionPreviewView = z
  .object({
    subscription_id: z.string().meta({ examples: [EXAMPLE.subscriptionId] }),
    patient_id: PatientId,
    price_ids: z.array(z.string()).meta({ examples: [[EXAMPLE.priceId]] }),
    quantities: z.array(z.int()).meta({ examples: [[1]] }),
    proration: Proration,
    proration_date: UtcInstant.meta({ description: 'The instant that the preview was computed for.' }),
    currency: Currency,
    due_now: z.int().meta({ description: 'The amount charged immediately, in minor units.', examples: [0] }),
    proration_amount: z
      .int()
      .meta({ description: 'The amount for the rest of the period; negative for a credit.', examples: [2450] }),
    next_invoice: z
      .object({
        date: UtcInstant.meta({ examples: ['2026-12-16T15:04:05.000Z'] }),
        amount_due: z
          .int()
          .meta({ description: 'In minor units, after discounts, tax and credits.', examples: [12_350] }),
        subtotal: z.int().meta({ description: 'Before discounts and tax.', examples: [12_350] }),
        discount: z.int().meta({ description: 'The amount of all discounts.', examples: [0] }),
        tax: z.int().meta({ description: 'Computed by Stripe; 0 when Stripe Tax is not used.', examples: [0] }),
      })
      .nullable()
      .meta({ description: 'Null when no invoice will follow.' }),
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
