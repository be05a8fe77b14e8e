import type { Ledger } from '../ledger.ts';
import type { Invoice, PaymentIntent, PaymentMethod } from '../objects.ts';
import { type CardProblem, cardError, invalidRequest } from '../wire/errors.ts';
import { present } from '../wire/present.ts';
import { refuseDetached } from './attach-method.ts';
import { AUTHENTICATION_FAILED, type ConfirmOptions, requireAuthentication } from './authentication.ts';
import { AUTHENTICATION_REQUIRED, cardByNumber, judge } from './cards.ts';
import { requireCharges } from './check-payable.ts';
import { openDispute } from './disputes.ts';
import { isHeldBy } from './held-update.ts';
import { nextStatus } from './lifecycle.ts';
import { markInvoicePaid } from './mark-invoice-paid.ts';
import { type Authentication, newCharge } from './new-charge.ts';
import { scheduleRetry } from './schedule-retry.ts';

const CONFIRMABLE = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

/**
 * Attempts the payment. Ends in `succeeded` or `requires_action`.
 * @throws Refusal the card error, after recording the failure (status `requires_payment_method` again)
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
  refuseDetached(method);
  if (method.customer !== null && method.customer !== intent.customer) {
    throw invalidRequest('The provided PaymentMethod belongs to another customer.', { param: 'payment_method' });
  }
  intent.payment_method = method.id;
  attempt(ledger, intent, method, options);
}

/** Continues after the cardholder passed or failed the challenge of the intent. */
export function finishPaymentAuthentication(ledger: Ledger, intent: PaymentIntent, passed: boolean): void {
  const method = ledger.data.objects.payment_method[intent.payment_method!]!;
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
  const verdict = judge(cardByNumber(method._number)!, {
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
    verdict.type === 'refused' && verdict.problem === AUTHENTICATION_REQUIRED && intent._invoice !== null;
  if (verdict.type === 'refused' && !awaitsHolder)
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
  if (intent._invoice) recordInvoiceFailure(ledger, ledger.data.objects.invoice[intent._invoice]!);
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
  const subscription = ledger.data.objects.subscription[invoice._subscription]!;
  ledger.change('customer.subscription.updated', subscription, () => {
    if (!isHeldBy(subscription, invoice))
      subscription.status = nextStatus(subscription.status, { type: 'payment_failed' });
  });
  exhausted?.();
}
