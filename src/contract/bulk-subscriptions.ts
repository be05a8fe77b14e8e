import { z } from 'zod';
import { ListSubscriptionsInput, SubscriptionId } from './subscriptions.ts';

/** Portal: exports a list of subscriptions as a file. */
export const ExportSubscriptionsInput = ListSubscriptionsInput.pick({
  patient_id: true,
  status: true,
  price_id: true,
  needs_attention: true,
});
export type ExportSubscriptionsInput = z.infer<typeof ExportSubscriptionsInput>;

/** Portal: sends the payment links of several subscriptions, each to its patient; by email by default. */
export const SendCheckoutLinksInput = z.strictObject({
  subscription_ids: z.array(SubscriptionId).min(1).max(100),
  by: z.enum(['email', 'sms']).optional(),
});
export type SendCheckoutLinksInput = z.infer<typeof SendCheckoutLinksInput>;

/** The outcome for one subscription. */
export type SentOutcomeView = {
  subscription_id: string;
  patient_id: string | null;
  /** `sent_already`: to the same address within the last minutes, so it is not repeated. */
  outcome: 'sent' | 'sent_already' | 'not_sent';
  sent_to: string | null;
  /** Why it was not sent, as text for users. */
  reason: string | null;
};
