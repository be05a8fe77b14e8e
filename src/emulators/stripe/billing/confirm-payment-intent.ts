import { randomUUID } from 'node:crypto';
import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Charge, Invoice, PaymentIntent, PaymentMethod } from '../objects.ts';
import { stored } from '../state.ts';
import { type CardProblem, cardError, invalidRequest } from '../wire/errors.ts';
import { present } from '../wire/present.ts';
import { rejectDetached } from './attach-method.ts';
import { AUTHENTICATION_FAILED, type ConfirmOptions, requireAuthentication } from './authentication.ts';
import { DAY } from './calendar.ts';
import { AUTHENTICATION_REQUIRED, cardByNumber, decideAttempt, testCard } from './cards.ts';
import { requireCharges } from './check-payable.ts';
import { openDispute } from './disputes.ts';
import { markInvoicePaid } from './finalize-invoice.ts';
import { endSubscription, hasEnded, isPendingOn, nextStatus } from './lifecycle.ts';

const DEFAULT_RETRY_DAYS = [1, 3, 5, 7];

/**
 * Schedules the next automatic payment of a failed invoice.
 * @returns the account's final action when no retries are left
 */
function scheduleRetry(ledger: Ledger, invoice: Invoice): (() => void) | undefined {
  const { data, options } = ledger;
  const subscription = stored(data, 'subscription', invoice._subscription);
  invoice.next_payment_attempt = null;
  // The first invoice is never retried: the subscription stays incomplete until it is paid or 23 hours pass.
  if (invoice.billing_reason === 'subscription_create' || hasEnded(subscription.status)) return undefined;
  // The invoice of a pending update is not retried either: the update expires before.
  if (isPendingOn(subscription, invoice)) return undefined;
  const days = (options.retryDays ?? DEFAULT_RETRY_DAYS)[invoice.attempt_count - 1];
  if (days !== undefined) {
    invoice.next_payment_attempt = ledger.now(invoice.customer) + days * DAY;
    return undefined;
  }
  return () => {
    const policy = options.afterRetries ?? 'canceled';
    invoice.auto_advance = false;
    if (policy === 'canceled') {
      endSubscription(ledger, subscription, 'canceled', 'payment_failed');
      return;
    }
    ledger.change('customer.subscription.updated', subscription, () => {
      subscription.status = nextStatus(subscription.status, { type: 'retries_exhausted', policy });
    });
  };
}

const CONFIRMABLE = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

/**
 * Attempts the payment. Ends in `succeeded` or `requires_action`.
 * @throws ErrorReply the card error, after recording the failure (status `requires_payment_method` again)
 */
export function confirmPaymentIntent(
  ledger: Ledger,
  intent: PaymentIntent,
  method: PaymentMethod,
  options: ConfirmOptions,
): void {
  requireCharges(ledger);
  if (!CONFIRMABLE.includes(intent.status)) {
    const message = `This PaymentIntent's status is ${intent.status}, but must be one of requires_payment_method, requires_confirmation or requires_action to be confirmed.`;
    throw invalidRequest(message, { code: 'payment_intent_unexpected_state' });
  }
  rejectDetached(method);
  if (method.customer !== null && method.customer !== intent.customer) {
    throw invalidRequest('The provided PaymentMethod belongs to another customer.', { param: 'payment_method' });
  }
  intent.payment_method = method.id;
  attempt(ledger, intent, method, options);
}

/** Continues after the cardholder passed or failed the challenge of the intent. */
export function finishPaymentAuthentication(ledger: Ledger, intent: PaymentIntent, passed: boolean): void {
  const method = stored(ledger.data, 'payment_method', intent.payment_method);
  const options = { offSession: false, returnUrl: intent._return_url, useStripeSdk: true, authenticated: true };
  if (passed) {
    requireCharges(ledger);
    attempt(ledger, intent, method, options);
    return;
  }
  const problem = { ...AUTHENTICATION_FAILED, code: 'payment_intent_authentication_failure' };
  fail(ledger, intent, method, problem, 'failed');
}

function attempt(ledger: Ledger, intent: PaymentIntent, method: PaymentMethod, options: ConfirmOptions): void {
  const verdict = decideAttempt(testCard(method._number), {
    purpose: 'charge',
    authenticated: options.authenticated ?? false,
    offSession: options.offSession,
    setUp: method._set_up,
  });
  if (verdict.type === 'approved') {
    succeed(ledger, intent, method, options);
    return;
  }
  // A renewal that requires authentication waits for the cardholder
  // (invoice.payment_action_required); any other off-session charge fails.
  const awaitsHolder =
    verdict.type === 'declined' && verdict.problem === AUTHENTICATION_REQUIRED && intent._invoice !== null;
  if (verdict.type === 'declined' && !awaitsHolder)
    fail(ledger, intent, method, verdict.problem, authenticationOf(options));
  requireAuthentication(ledger, intent, options);
  ledger.emit('payment_intent.requires_action', intent);
  const invoice = intent._invoice === null ? undefined : ledger.data.objects.invoice[intent._invoice];
  if (invoice) ledger.emit('invoice.payment_action_required', invoice);
  if (invoice && awaitsHolder) recordInvoiceFailure(ledger, invoice);
}

const authenticationOf = ({ authenticated }: ConfirmOptions): Authentication =>
  authenticated ? 'authenticated' : null;

function succeed(ledger: Ledger, intent: PaymentIntent, method: PaymentMethod, options: ConfirmOptions): void {
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  intent.next_action = null;
  intent._authentication = null;
  intent.last_payment_error = null;
  if (intent.setup_future_usage === 'off_session') method._set_up = true;
  const charge = newCharge(ledger, intent, method, null, authenticationOf(options));
  intent.latest_charge = charge.id;
  if (intent.customer && intent.setup_future_usage && method.customer === null) {
    method.customer = intent.customer;
    ledger.emit('payment_method.attached', method);
  }
  ledger.emit('charge.succeeded', charge);
  ledger.emit('payment_intent.succeeded', intent);
  const invoice = intent._invoice === null ? undefined : ledger.data.objects.invoice[intent._invoice];
  if (invoice) {
    // The first attempt counts in any case, later ones only when automatic (API reference, "The Invoice object").
    if (options.offSession || invoice.attempt_count === 0) invoice.attempt_count++;
    markInvoicePaid(ledger, invoice, method.id);
  }
  const grounds = cardByNumber(method._number)?.dispute;
  if (grounds) openDispute(ledger, charge, grounds);
}

function fail(
  ledger: Ledger,
  intent: PaymentIntent,
  method: PaymentMethod,
  problem: CardProblem,
  authentication: Authentication,
): never {
  const shownMethod = present(method, ledger.data);
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.next_action = null;
  intent._authentication = null;
  const charge = newCharge(ledger, intent, method, problem, authentication);
  intent.latest_charge = charge.id;
  intent.last_payment_error = { type: 'card_error', charge: charge.id, ...problem, payment_method: shownMethod };
  ledger.emit('charge.failed', charge);
  ledger.emit('payment_intent.payment_failed', intent);
  if (intent._invoice) recordInvoiceFailure(ledger, stored(ledger.data, 'invoice', intent._invoice));
  throw cardError(problem, {
    charge: charge.id,
    payment_intent: present(intent, ledger.data),
    payment_method: shownMethod,
  });
}

/** Counts the failed attempt, emits its event, schedules the retry and updates the subscription's status. */
export function recordInvoiceFailure(ledger: Ledger, invoice: Invoice): void {
  invoice.attempted = true;
  invoice.attempt_count++;
  const exhausted = scheduleRetry(ledger, invoice);
  ledger.emit('invoice.payment_failed', invoice);
  const subscription = stored(ledger.data, 'subscription', invoice._subscription);
  ledger.change('customer.subscription.updated', subscription, () => {
    if (!isPendingOn(subscription, invoice))
      subscription.status = nextStatus(subscription.status, { type: 'payment_failed' });
  });
  exhausted?.();
}

/** The outcome of a 3-D Secure challenge; null without a challenge. */
type Authentication = 'authenticated' | 'failed' | null;

/** Stores the charge of one payment attempt, with its outcome. */
function newCharge(
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
