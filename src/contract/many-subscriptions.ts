import { z } from 'zod';
import { ListSubscriptionsInput, SubscriptionId } from './subscriptions.ts';

/** Portal: what a list shows, as a file. */
export const ExportSubscriptionsInput = ListSubscriptionsInput.pick({
  patient_id: true,
  status: true,
  price_id: true,
  needs_attention: true,
});
export type ExportSubscriptionsInput = z.infer<typeof ExportSubscriptionsInput>;

/** Portal: the payment links of several subscriptions, each sent to its patient; by e-mail unless said. */
export const SendCheckoutLinksInput = z.strictObject({
  subscription_ids: z.array(SubscriptionId).min(1).max(100),
  by: z.enum(['email', 'sms']).optional(),
});
export type SendCheckoutLinksInput = z.infer<typeof SendCheckoutLinksInput>;

/** What became of one of them. */
export type SentOutcomeView = {
  subscription_id: string;
  patient_id: string | null;
  /** `sent_already`: to the same address some minutes ago, so not again. */
  outcome: 'sent' | 'sent_already' | 'not_sent';
  sent_to: string | null;
  /** Why not, in words. */
  reason: string | null;
};
