import type { PaymentView } from '#contract/payments.ts';
import type { Tone } from '#web/ui/badge.tsx';

const REASONS: Record<string, string> = {
  subscription_create: 'First bill',
  subscription_cycle: 'Renewal',
  subscription_update: 'Change of plan',
  subscription_threshold: 'Usage',
  manual: 'Billed by hand',
};

type Billed = Pick<PaymentView, 'billing_reason' | 'subtotal'>;

/** What a bill is for: "Renewal". A trial starts with an empty bill; its first real bill comes after it. */
export const billLabel = ({ billing_reason, subtotal }: Billed): string =>
  billing_reason === 'subscription_create' && subtotal === 0 ? 'Start' : (REASONS[billing_reason ?? ''] ?? 'Bill');

/** Amount that can still be refunded, in minor units. */
export const refundableAmount = ({ status, amount_paid, amount_refunded, disputes }: PaymentView): number =>
  status === 'paid' && !disputes.some(isContested) ? amount_paid - amount_refunded : 0;

/** The bank has taken the money already, or is about to. */
const isContested = ({ status }: PaymentView['disputes'][number]): boolean =>
  status !== 'won' && !status.startsWith('warning_');

/** Label of a bill's state, and the color that supports it. */
export function paymentStateLabel(payment: PaymentView): readonly [label: string, tone: Tone] {
  const { status, amount_paid, amount_refunded, attempt_count, amount_due, disputes } = payment;
  if (disputes.some(({ status: one }) => one === 'lost')) return ['Taken back by the bank', 'danger'];
  if (disputes.some(isContested)) return ['Disputed', 'danger'];
  if (status === 'void') return ['Called off', 'neutral'];
  if (status === 'uncollectible') return ['Given up', 'neutral'];
  if (status === 'open') return attempt_count > 0 ? ['Failed', 'danger'] : ['To be paid', 'warn'];
  if (amount_refunded > 0 && amount_refunded >= amount_paid) return ['Refunded', 'neutral'];
  if (amount_refunded > 0) return ['Partly refunded', 'info'];
  return amount_due === 0 ? ['Nothing to pay', 'neutral'] : ['Paid', 'good'];
}
