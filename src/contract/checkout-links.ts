import { z } from 'zod';
import type { PaymentClient } from './cards.ts';
import { UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';
import { SubscriptionId, type SubscriptionView } from './subscriptions.ts';

export const LinkExpiry = UtcInstant.meta({
  description: 'When the link runs out.',
  examples: ['2026-11-17T15:04:05.000Z'],
});
export const LinkSentTo = z
  .string()
  .nullable()
  .meta({ description: 'Where it was sent to; null where it was not.', examples: [null] });
export const LinkWish = {
  subscription_id: SubscriptionId,
  send: z
    .boolean()
    .optional()
    .meta({ description: 'Sends it to the patient as well, by email unless `by` says otherwise.', examples: [false] }),
  by: z
    .enum(['email', 'sms'])
    .optional()
    .meta({ description: 'How it is sent; by text message for staff and applications.', examples: ['email'] }),
  renew: z
    .boolean()
    .optional()
    .meta({ description: 'A new one in place of the one before, which ends.', examples: [false] }),
};

/** The link that opens the clinic's page to pay or to save a card, the same as before while that is live. */
export const CreateCheckoutLinkInput = z.strictObject({
  ...LinkWish,
  allow_promotion_codes: z
    .boolean()
    .optional()
    .meta({
      description: 'Whether the page asks for a promotion code; as the subscription says unless said.',
      examples: [true],
    }),
});
export type CreateCheckoutLinkInput = z.infer<typeof CreateCheckoutLinkInput>;
export const CheckoutLinkView = z
  .object({
    subscription_id: z.string().meta({ examples: [EXAMPLE.subscriptionId] }),
    patient_id: PatientId,
    url: z.string().meta({
      description: 'For the patient alone: whoever has it may pay. Good for one payment, and for 24 hours.',
      examples: ['https://care.example/checkout#…'],
    }),
    allow_promotion_codes: z.boolean().meta({ examples: [true] }),
    expires_at: LinkExpiry,
    sent_to: LinkSentTo,
  })
  .meta({ component: 'CheckoutLink' });
export type CheckoutLinkView = z.infer<typeof CheckoutLinkView>;

export const ListCheckoutLinksInput = z.strictObject({ patient_id: PatientId });
export type ListCheckoutLinksInput = z.infer<typeof ListCheckoutLinksInput>;
/** Portal: a payment link that was made for a patient, without what opens it. */
export type SentLinkView = {
  id: string;
  subscription_id: string;
  /** The plan's name. */
  name: string | null;
  created_at: string;
  /** Who made it, where they still work here. */
  created_by: string | null;
  expires_at: string;
  /** The address that it was mailed to last, and when; null for one that was only copied. */
  sent_to: string | null;
  sent_at: string | null;
  /** `used`: what it asked for is done; `replaced`: by a newer one, or by a change of the subscription. */
  state: 'live' | 'used' | 'replaced' | 'over';
  /** Whether its page asks for a promotion code. */
  allow_promotion_codes: boolean;
};

/** What the checkout page needs, given for a link's token. */
export type CheckoutView = {
  clinic: string;
  name: string | null;
  amount_due: number;
  currency: string;
  plan_price: number | null;
  billing_period: string | null;
  billing_interval: number | null;
  trial_end: string | null;
  /** When it ends by itself, if it does. */
  cancel_at: string | null;
  next_action: 'payment' | 'setup' | 'none';
  client_secret: string | null;
  payment_client: PaymentClient;
  status: SubscriptionView['status'];
  pause_reason: SubscriptionView['pause_reason'];
  discount: SubscriptionView['discount'];
  /** The next bill after today, as Stripe reckons it; null where none follows or nobody knows. */
  next_bill: { date: string; amount_due: number } | null;
  /** Whether the page asks for a promotion code. */
  takes_code: boolean;
};
