import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Charge, Dispute } from '../objects.ts';
import { DAY } from './calendar.ts';

const RESPONSE_PERIOD = 9 * DAY;
const CLOSED_STATUSES: Dispute['status'][] = ['won', 'lost', 'warning_closed'];

export const isClosed = ({ status }: Dispute) => CLOSED_STATUSES.includes(status);

const EVIDENCE = [
  'access_activity_log',
  'billing_address',
  'cancellation_policy',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_communication',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'customer_signature',
  'duplicate_charge_documentation',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'receipt',
  'refund_policy',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'service_documentation',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_documentation',
  'shipping_tracking_number',
  'uncategorized_file',
  'uncategorized_text',
];

/** The reason of a dispute. An inquiry does not withdraw funds. */
export interface DisputeReason {
  reason: string;
  inquiry: boolean;
}

export function openDispute(ledger: Ledger, charge: Charge, { reason, inquiry }: DisputeReason): Dispute {
  const created = ledger.now(charge.customer);
  const dispute = ledger.put('dispute', {
    id: newId('du'),
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: { ...Object.fromEntries(EVIDENCE.map((name) => [name, null])), enhanced_evidence: {} },
    evidence_details: {
      due_by: created + RESPONSE_PERIOD,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: 'manual',
    is_charge_refundable: inquiry,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: {
        brand: charge.payment_method_details.card.brand,
        case_type: inquiry ? 'inquiry' : 'chargeback',
        network: charge.payment_method_details.card.network,
        network_reason_code: reason === 'fraudulent' ? '10.4' : '13.1',
      },
      type: 'card',
    },
    reason,
    status: inquiry ? 'warning_needs_response' : 'needs_response',
    // The customer whose clock determines the deadline.
    _customer: charge.customer,
  });
  ledger.change('charge.updated', charge, () => {
    charge.disputed = true;
  });
  ledger.emit('charge.dispute.created', dispute);
  if (!inquiry) ledger.emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** Closes a dispute with the bank's decision; an inquiry closes without one. */
export function closeDispute(ledger: Ledger, dispute: Dispute, outcome: 'won' | 'lost'): Dispute {
  const inquiry = dispute.status.startsWith('warning_');
  dispute.status = inquiry ? 'warning_closed' : outcome;
  ledger.emit('charge.dispute.closed', dispute);
  if (!inquiry && outcome === 'won') ledger.emit('charge.dispute.funds_reinstated', dispute);
  return dispute;
}

/**
 * Evidence text that determines the outcome (Stripe, "Testing disputes"); other evidence waits for the bank's decision.
 */
const VERDICTS: Record<string, 'won' | 'lost'> = { winning_evidence: 'won', losing_evidence: 'lost' };

export function submitEvidence(ledger: Ledger, dispute: Dispute): void {
  ledger.change('charge.dispute.updated', dispute, () => {
    dispute.status = dispute.status.startsWith('warning_') ? 'warning_under_review' : 'under_review';
    dispute.evidence_details = {
      ...dispute.evidence_details,
      submission_count: dispute.evidence_details.submission_count + 1,
      submission_method: 'manual',
    };
  });
  const verdict = VERDICTS[String(dispute.evidence.uncategorized_text)];
  if (verdict) closeDispute(ledger, dispute, verdict);
}

/** The evidence deadline passed: the cardholder keeps the money. */
export function missEvidence(ledger: Ledger, dispute: Dispute): void {
  dispute.evidence_details = { ...dispute.evidence_details, past_due: true };
  closeDispute(ledger, dispute, 'lost');
}
