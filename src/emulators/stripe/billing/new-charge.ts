import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { PaymentIntent, PaymentMethod, StripeObject } from '../objects.ts';
import type { CardProblem } from '../wire/errors.ts';

/** One attempt to take money, with its outcome. */
export function newCharge(
  ledger: Ledger,
  intent: PaymentIntent,
  method: PaymentMethod,
  problem: CardProblem | null,
): StripeObject {
  const id = newId('ch');
  const paid = problem === null;
  return ledger.put('charge', {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: paid ? intent.amount : 0,
    amount_refunded: 0,
    billing_details: method.billing_details,
    captured: paid,
    created: ledger.now(intent.customer),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_code: problem?.code ?? null,
    failure_message: problem?.message ?? null,
    livemode: false,
    metadata: intent.metadata,
    outcome: paid
      ? { network_status: 'approved_by_network', type: 'authorized', seller_message: 'Payment complete.' }
      : {
          network_status: 'declined_by_network',
          type: 'issuer_declined',
          reason: problem.decline_code ?? problem.code,
        },
    paid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card', card: method.card },
    receipt_email: null,
    receipt_number: null,
    receipt_url: paid ? `${ledger.world.baseUrl}/receipts/${ledger.accountId}/${id}` : null,
    refunded: false,
    status: paid ? 'succeeded' : 'failed',
  });
}
