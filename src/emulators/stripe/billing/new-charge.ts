import { randomUUID } from 'node:crypto';
import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Charge, PaymentIntent, PaymentMethod } from '../objects.ts';
import type { CardProblem } from '../wire/errors.ts';

/** The outcome of a 3-D Secure challenge; null without a challenge. */
export type Authentication = 'authenticated' | 'failed' | null;

/** Stores the charge of one payment attempt, with its outcome. */
export function newCharge(
  ledger: Ledger,
  intent: PaymentIntent,
  method: PaymentMethod,
  problem: CardProblem | null,
  authentication: Authentication,
): Charge {
  const id = newId('ch');
  const paid = problem === null;
  return ledger.put('charge', {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: paid ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: paid ? newId('txn') : null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'EMULATED',
    captured: paid,
    created: ledger.now(intent.customer),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: problem?.code ?? null,
    failure_message: problem?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: outcomeOf(problem),
    paid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card', card: chargedCard(method, intent.amount, authentication) },
    receipt_email: null,
    receipt_number: null,
    receipt_url: paid ? `${ledger.world.baseUrl}/receipts/${ledger.accountId}/${id}` : null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: paid ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
  });
}

function outcomeOf(problem: CardProblem | null) {
  const shared = { network_advice_code: null, network_decline_code: null, risk_level: 'normal', risk_score: 12 };
  if (!problem) {
    return {
      ...shared,
      advice_code: null,
      network_status: 'approved_by_network',
      reason: null,
      seller_message: 'Payment complete.',
      type: 'authorized',
    };
  }
  return {
    ...shared,
    advice_code: 'try_again_later',
    network_status: 'declined_by_network',
    reason: problem.decline_code ?? problem.code,
    seller_message: 'The bank did not return any further details with this decline.',
    type: 'issuer_declined',
  };
}

/** A charge's card lacks `display_brand` and `networks` of a saved card and has details of this payment. */
function chargedCard({ card }: PaymentMethod, amount: number, authentication: Authentication): Record<string, unknown> {
  return {
    amount_authorized: amount,
    authorization_code: null,
    brand: card.brand,
    checks: card.checks,
    country: card.country,
    electronic_commerce_indicator: null,
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    extended_authorization: { status: 'disabled' },
    fingerprint: card.fingerprint,
    funding: card.funding,
    incremental_authorization: { status: 'unavailable' },
    installments: null,
    last4: card.last4,
    mandate: null,
    multicapture: { status: 'unavailable' },
    network: card.brand,
    network_token: { used: false },
    network_transaction_id: null,
    overcapture: { maximum_amount_capturable: amount, status: 'unavailable' },
    regulated_status: 'unregulated',
    three_d_secure: authentication && threeDSecure(authentication, card.brand === 'mastercard'),
    transaction_link_id: null,
    wallet: null,
  };
}

function threeDSecure(result: 'authenticated' | 'failed', mastercard: boolean) {
  const passed = result === 'authenticated';
  return {
    authentication_flow: 'challenge',
    // ECI for full authentication is 02 for Mastercard and 05 for other brands (EMVCo).
    electronic_commerce_indicator: passed ? (mastercard ? '02' : '05') : null,
    exemption_indicator: null,
    result,
    result_reason: passed ? null : 'rejected',
    transaction_id: randomUUID(),
    version: '2.2.0',
  };
}
