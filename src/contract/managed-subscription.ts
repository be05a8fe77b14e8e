import { z } from 'zod';
import type { ChargedMethod } from './cards.ts';
import { LinkExpiry, LinkFields, LinkSentTo } from './checkout-links.ts';
import { text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';
import type { PaymentView } from './payments.ts';
import type { SubscriptionView } from './subscriptions.ts';

/** The link to the page where a patient manages one subscription. Returns the same link while it is live. */
export const CreateManageLinkInput = z.strictObject(LinkFields);
export type CreateManageLinkInput = z.infer<typeof CreateManageLinkInput>;
export const ManageLinkView = z
  .object({
    subscription_id: z.string().meta({ examples: [EXAMPLE.subscriptionId] }),
    patient_id: PatientId,
    url: z.string().meta({
      description:
        'For the patient only: shows this subscription, and allows the changes that the organisation opens to patients. Valid for 24 hours.',
      examples: ['https://care.example/manage#…'],
    }),
    expires_at: LinkExpiry,
    sent_to: LinkSentTo,
  })
  .meta({ component: 'ManageLink' });
export type ManageLinkView = z.infer<typeof ManageLinkView>;

/** A promotion code that is entered on the payment page. */
export const RedeemCodeInput = z.strictObject({ token: z.string().max(200), code: text(100) });
export type RedeemCodeInput = z.infer<typeof RedeemCodeInput>;

/** The page's only credential. */
const token = z.string().max(200);

export const ManageInput = z.strictObject({ token });
export type ManageInput = z.infer<typeof ManageInput>;
export const PreviewManagedInput = z.strictObject({ token, price_id: text(255) });
export type PreviewManagedInput = z.infer<typeof PreviewManagedInput>;
/** `previewed_at`: the time of the preview, so that the change costs the previewed amount. */
export const ChangeManagedInput = z.strictObject({ token, price_id: text(255), previewed_at: UtcInstant });
export type ChangeManagedInput = z.infer<typeof ChangeManagedInput>;
export const UseCardInput = z.strictObject({
  token,
  setup_intent_id: text(255).regex(/^seti_[A-Za-z0-9_]+$/, 'must be a setup intent id (seti_…)'),
});
export type UseCardInput = z.infer<typeof UseCardInput>;

/** A plan that the patient may change to. */
export type OfferedPlan = {
  price_id: string;
  name: string;
  description: string | null;
  plan_price: number | null;
  currency: string;
  billing_period: string | null;
  billing_interval: number | null;
};
/** The parts of a bill that the page shows. */
export type ManagedPayment = Pick<
  PaymentView,
  | 'id'
  | 'number'
  | 'status'
  | 'currency'
  | 'total'
  | 'amount_refunded'
  | 'created_at'
  | 'receipt_url'
  | 'invoice_url'
  | 'pdf_url'
>;
/** All data of the page behind a manage link: one subscription and how it is paid. */
export type ManagedSubscriptionView = Pick<
  SubscriptionView,
  | 'name'
  | 'status'
  | 'plan_price'
  | 'currency'
  | 'billing_period'
  | 'billing_interval'
  | 'cancel_at'
  | 'ended_at'
  | 'current_period_end'
  | 'trial_end'
  | 'discount'
  | 'pause_collection'
  | 'pause_reason'
  | 'next_action'
  | 'payment_client'
> & {
  clinic: string;
  /** With the secret for paying the open bill or saving the card, while either is due. */
  amount_due: number;
  client_secret: string | null;
  next_bill: { date: string; amount_due: number | null } | null;
  /** The payment method that bills are charged to: a card, or for example Link. */
  card: Omit<ChargedMethod, 'id'> | null;
  payments: ManagedPayment[];
  may_cancel: boolean;
  /** False when the clinic has disconnected the account: payments and card changes are not possible there. */
  takes_payments: boolean;
  /** Empty when patients may not change plans, or nothing can be changed now. */
  plans: OfferedPlan[];
};

/** The cost of changing to a plan. */
export type ManagedPreviewView = {
  price_id: string;
  previewed_at: string;
  currency: string;
  due_now: number;
  next_bill: { date: string; amount_due: number } | null;
};

export type StartedCardView = {
  client_secret: string;
  setup_intent_id: string;
  payment_client: SubscriptionView['payment_client'];
};
