import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { Facts } from './subscription-columns.ts';

const UNPAID = new Set(['incomplete', 'past_due', 'unpaid']);
const OVER = new Set(['canceled', 'incomplete_expired']);
/** Statuses of an intent that wait for the patient; `processing` waits for the bank. */
const WAITING = new Set(['requires_payment_method', 'requires_confirmation', 'requires_action']);

/** What the patient has to do: pay the open invoice, save a card for the end of the trial, or nothing. */
export function nextAction({
  status,
  latestInvoice,
  pendingSetupIntent,
}: Pick<Facts, 'status' | 'latestInvoice' | 'pendingSetupIntent'>): SubscriptionView['next_action'] {
  if (OVER.has(status)) return 'none';
  const payment = latestInvoice?.status === 'open' ? latestInvoice.payment_intent : null;
  if (UNPAID.has(status) && payment && WAITING.has(payment.status)) return 'payment';
  return pendingSetupIntent && WAITING.has(pendingSetupIntent.status) ? 'setup' : 'none';
}
