import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Charge, Metadata, Refund } from '../objects.ts';
import { stored } from '../state.ts';
import { invalidRequest } from '../wire/errors.ts';
import { DAY } from './calendar.ts';
import { cardByNumber } from './cards.ts';

export interface RefundInput {
  amount?: number;
  reason?: 'duplicate' | 'fraudulent' | 'requested_by_customer';
  metadata?: Metadata | null;
}

/** Cards with a pending refund settle it after one day. */
const PENDING_DURATION = DAY;

/**
 * Refunds a charge: `amount` in minor units, or everything that has not been refunded.
 * @throws ErrorReply when the charge cannot be refunded or `amount` is too large
 */
export function refundCharge(ledger: Ledger, charge: Charge, { amount, reason, metadata }: RefundInput): Refund {
  const refundable = charge.amount_captured - charge.amount_refunded;
  const requested = amount ?? refundable;
  checkRefundable(ledger, charge);
  if (requested > refundable) {
    const limit =
      charge.amount_refunded > 0
        ? `unrefunded amount on charge (${money(refundable, charge)})`
        : `charge amount (${money(refundable, charge)})`;
    throw invalidRequest(`Refund amount (${money(requested, charge)}) is greater than ${limit}`, { param: 'amount' });
  }
  const created = ledger.now(charge.customer);
  const { refund: behavior } =
    cardByNumber(ledger.data.objects.payment_method[charge.payment_method]?._number ?? '') ?? {};
  const refund = ledger.put('refund', {
    id: newId('re'),
    object: 'refund',
    amount: requested,
    balance_transaction: newId('txn'),
    charge: charge.id,
    created,
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata: metadata ?? {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: behavior ? 'pending' : 'succeeded',
    transfer_reversal: null,
    _settles: behavior ? { at: created + PENDING_DURATION, as: behavior } : null,
  });
  ledger.emit('refund.created', refund);
  ledger.change('charge.refunded', charge, () => writeRefunded(charge, charge.amount_refunded + requested));
  if (refund.status === 'succeeded') setReference(ledger, refund);
  return refund;
}

function writeRefunded(charge: Charge, amount: number): void {
  charge.amount_refunded = amount;
  charge.refunded = amount === charge.amount_captured;
}

function checkRefundable(ledger: Ledger, charge: Charge): void {
  if (!charge.paid) {
    throw invalidRequest(`Charge ${charge.id} has failed and cannot be refunded.`, { param: 'charge' });
  }
  if (charge.refunded) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  }
  const disputes = ledger.all('dispute').filter((dispute) => dispute.charge === charge.id && dispute.status !== 'won');
  if (disputes.some(({ is_charge_refundable }) => !is_charge_refundable)) {
    throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    });
  }
}

/** Sets the bank's reference number, which the cardholder can trace the refund with. */
function setReference(ledger: Ledger, refund: Refund): void {
  changeRefund(ledger, refund, () => {
    refund.destination_details = {
      card: {
        reference: '85300000000000000000000',
        reference_status: 'available',
        reference_type: 'acquirer_reference_number',
        type: 'refund',
      },
      type: 'card',
    };
  });
}

/** Stripe emits a change of a refund under both event names. */
export function changeRefund(ledger: Ledger, refund: Refund, mutate: () => void): void {
  ledger.change('refund.updated', refund, mutate);
  ledger.emit('charge.refund.updated', refund);
}

/** Settles a pending refund. A failed one restores the charge's refunded amount. */
export function settleRefund(ledger: Ledger, refund: Refund): void {
  const status = refund._settles!.as;
  refund._settles = null;
  if (status === 'succeeded') {
    changeRefund(ledger, refund, () => {
      refund.status = 'succeeded';
    });
    return;
  }
  changeRefund(ledger, refund, () => {
    refund.status = 'failed';
    refund.failure_reason = 'expired_or_canceled_card';
    refund.failure_balance_transaction = newId('txn');
  });
  ledger.emit('refund.failed', refund);
  const charge = stored(ledger.data, 'charge', refund.charge);
  ledger.change('charge.updated', charge, () => writeRefunded(charge, charge.amount_refunded - refund.amount));
}

function money(amount: number, { currency }: Charge): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
