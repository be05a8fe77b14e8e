import { z } from 'zod';
import type { PaymentClient } from './cards.ts';
import { UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';
import { SubscriptionId, type SubscriptionView } from './subscriptions.ts';

export const LinkExpiry = UtcInstant.meta({
  description: 'When the link expires.',
  examples: ['2026-11-17T15:04:05.000Z'],
});
export const LinkSentTo = z
  .string()
  .nullable()
  .meta({ description: 'The address or number it was sent to; null when it was not sent.', examples: [null] });
export const LinkFields = {
  subscription_id: SubscriptionId,
  send: z
    .boolean()
    .optional()
    .meta({ description: 'Also sends the link to the patient, by email unless `by` is set.', examples: [false] }),
  by: z
    .enum(['email', 'sms'])
    .optional()
    .meta({
      description: 'The channel to send it by; only staff and applications may use `sms`.',
      examples: ['email'],
    }),
  renew: z
    .boolean()
    .optional()
    .meta({ description: 'Creates a new link and invalidates the previous one.', examples: [false] }),
};

/** The link to the clinic's page for paying or saving a card. Returns the same link while it is live. */
export const CreateCheckoutLinkInput = z.strictObject({
  ...LinkFields,
  allow_promotion_codes: z
    .boolean()
    .optional()
    .meta({
      description: 'Whether the page accepts a promotion code; defaults to the setting of the subscription.',
      examples: [true],
    }),
});
export type CreateCheckoutLinkInput = z.infer<typeof CreateCheckoutLinkInput>;
export const CheckoutLinkView = z
  .object({
    subscription_id: z.string().meta({ examples: [EXAMPLE.subscriptionId] }),
    patient_id: PatientId,
    url: z.string().meta({
      description: 'For the patient only: anyone who has the link can pay. Valid for one payment and for 24 hours.',
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
/** Portal: a payment link that was created for a patient, without its secret. */
export type SentLinkView = {
  id: string;
  subscription_id: string;
  /** The plan's name. */
  name: string | null;
  created_at: string;
  /** Name of the staff user who created it, while they are on the team. */
  created_by: string | null;
  expires_at: string;
  /** The address that it was last emailed to, and when; null when it was only copied. */
  sent_to: string | null;
  sent_at: string | null;
  /** `used`: the requested payment is done; `replaced`: by a newer link, or by a change of the subscription. */
  state: 'live' | 'used' | 'replaced' | 'over';
  /** Whether its page accepts a promotion code. */
  allow_promotion_codes: boolean;
};

/** The data of the checkout page, returned for a link's token. */
export type CheckoutView = {
  clinic: string;
  name: string | null;
  amount_due: number;
  currency: string;
  plan_price: number | null;
  billing_period: string | null;
  billing_interval: number | null;
  trial_end: string | null;
  /** When the subscription ends automatically, if it does. */
  cancel_at: string | null;
  next_action: 'payment' | 'setup' | 'none';
  client_secret: string | null;
  payment_client: PaymentClient;
  status: SubscriptionView['status'];
  pause_reason: SubscriptionView['pause_reason'];
  discount: SubscriptionView['discount'];
  /** The next bill after today, as Stripe previews it; null when none follows or it is not known. */
  next_bill: { date: string; amount_due: number } | null;
  /** Whether the page accepts a promotion code. */
  takes_code: boolean;
};
