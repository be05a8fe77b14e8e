import { z } from 'zod';
import { text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';
import { CreateSubscriptionInput } from './subscriptions.ts';

const page = (description: string, example: string) =>
  text(2000).meta({ description: `${description} Must be on an allowed origin.`, examples: [example] });

export const CreateCheckoutSessionInput = z.strictObject({
  ...CreateSubscriptionInput.pick({ patient_id: true, price_ids: true, allow_duplicate: true }).shape,
  success_url: page(
    'The page to return to after payment; `{CHECKOUT_SESSION_ID}` is replaced by the id.',
    `${EXAMPLE.website}/welcome`,
  ),
  cancel_url: page('The page to return to when the patient cancels.', `${EXAMPLE.website}/plans`),
  allow_promotion_codes: z
    .boolean()
    .optional()
    .meta({ description: 'Whether the page accepts a promotion code.', examples: [true] }),
  client_reference_id: text(200)
    .optional()
    .meta({ description: 'Your own reference, returned with the session.', examples: ['cart-1701'] }),
});
export type CreateCheckoutSessionInput = z.infer<typeof CreateCheckoutSessionInput>;

/** Stripe's hosted page on which a patient subscribes. */
export const CheckoutSessionView = z
  .object({
    id: z.string().meta({ description: "Stripe's id.", examples: ['cs_test_ExampleAda'] }),
    patient_id: PatientId,
    url: z
      .string()
      .nullable()
      .meta({
        description: 'The page to send the patient to.',
        examples: ['https://checkout.stripe.com/c/pay/cs_test_ExampleAda'],
      }),
    status: z
      .string()
      .nullable()
      .meta({ description: '`open`, `complete` or `expired`.', examples: ['open'] }),
    price_ids: z.array(z.string()).meta({ examples: [[EXAMPLE.priceId]] }),
    client_reference_id: z
      .string()
      .nullable()
      .meta({ examples: ['cart-1701'] }),
    expires_at: UtcInstant.meta({ examples: ['2026-11-17T15:04:05.000Z'] }),
    created_at: UtcInstant,
  })
  .meta({ component: 'CheckoutSession' });
export type CheckoutSessionView = z.infer<typeof CheckoutSessionView>;
