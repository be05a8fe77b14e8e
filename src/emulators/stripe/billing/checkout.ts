import { ErrorReply } from '../../core/route.ts';
import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { CheckoutAttempt, CheckoutSession, Customer, PaymentMethod, Subscription } from '../objects.ts';
import { newCustomer } from '../resources/new-customer.ts';
import { stored } from '../state.ts';
import { attachMethod } from './attach-method.ts';
import { AUTHENTICATION_FAILED, challengeUrl } from './authentication.ts';
import { decideAttempt, testCard } from './cards.ts';
import { requireCharges } from './check-payable.ts';
import { confirmPaymentIntent } from './confirm-payment-intent.ts';
import { confirmSetupIntent } from './confirm-setup-intent.ts';
import { createSubscription, firstInvoice } from './create-subscription.ts';
import { lineDiscounts } from './session-lines.ts';

/** The state of a session after an attempt to pay. */
export type Progress =
  | { type: 'complete' }
  | { type: 'authenticate'; url: string }
  | { type: 'declined'; message: string };

const declined = (message: string): Progress => ({ type: 'declined', message });

/** Attempts to complete a session. A declined attempt leaves it open and has no other effect. */
export function payCheckout(ledger: Ledger, session: CheckoutSession, attempt: CheckoutAttempt): Progress {
  session._attempt = null;
  requireCharges(ledger);
  return session.mode === 'setup' ? saveCard(ledger, session, attempt) : subscribe(ledger, session, attempt);
}

/** Continues after the 3-D Secure page. */
export function resumeCheckout(ledger: Ledger, session: CheckoutSession): Progress {
  const attempt = session._attempt;
  if (!attempt) throw new Error(`${session.id} waits for no authentication`);
  session._attempt = null;
  if (session.mode === 'setup') return finishSetup(ledger, session, attempt);
  return attempt.authenticated ? payCheckout(ledger, session, attempt) : declined(AUTHENTICATION_FAILED.message);
}

/** Creates the subscription only when its payment will succeed, as Stripe does since 2025-03-31.basil. */
function subscribe(ledger: Ledger, session: CheckoutSession, attempt: CheckoutAttempt): Progress {
  const discounts = attempt.promotionCode ? [{ promotion_code: attempt.promotionCode }] : session._discounts;
  const input = { ...session._subscription_data, items: session._items, ...(discounts.length > 0 && { discounts }) };
  const { paymentDue } = firstInvoice(ledger, { ...input, customer: session.customer });
  const method = ledger.data.objects.payment_method[attempt.method ?? ''];
  if (!method && paymentDue) return declined('Your card was not accepted.');
  const { authenticated = false } = attempt;
  if (method) {
    const purpose = paymentDue ? 'charge' : 'setup';
    const card = testCard(method._number);
    const verdict = decideAttempt(card, { purpose, authenticated, offSession: false, setUp: method._set_up });
    if (verdict.type === 'declined') return declined(verdict.problem.message);
    if (verdict.type === 'authenticate') {
      const authentication = newId('payatt');
      session._attempt = { ...attempt, authentication };
      return { type: 'authenticate', url: challengeUrl(ledger, authentication) };
    }
  }
  session.customer ??= newBuyer(ledger, session, attempt);
  const subscription = createSubscription(ledger, {
    ...input,
    customer: session.customer,
    payment_behavior: 'default_incomplete',
    save_default_payment_method: 'on_subscription',
  });
  if (method) confirm(ledger, subscription, method, authenticated);
  writeBought(ledger, session, subscription);
  session.payment_status = paymentDue ? 'paid' : 'no_payment_required';
  return complete(ledger, session);
}

/** Pays the first invoice or, when nothing is due, saves the card. */
function confirm(ledger: Ledger, subscription: Subscription, method: PaymentMethod, authenticated: boolean): void {
  const { payment_intent, setup_intent } = ledger.data.objects;
  const invoice = stored(ledger.data, 'invoice', subscription.latest_invoice);
  const payment = payment_intent[invoice._payment_intent ?? ''];
  const setup = setup_intent[subscription.pending_setup_intent ?? ''];
  const options = { offSession: false, returnUrl: null, useStripeSdk: true, authenticated };
  if (payment) confirmPaymentIntent(ledger, payment, method, options);
  else if (setup) confirmSetupIntent(ledger, setup, method, options);
}

/** Confirms the session's SetupIntent, which records the bank's decision. */
function saveCard(ledger: Ledger, session: CheckoutSession, attempt: CheckoutAttempt): Progress {
  const intent = stored(ledger.data, 'setup_intent', session.setup_intent);
  const options = { offSession: false, returnUrl: session.url, useStripeSdk: false };
  try {
    confirmSetupIntent(ledger, intent, stored(ledger.data, 'payment_method', attempt.method), options);
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
  }
  const redirect = intent.next_action?.redirect_to_url as { url: string } | undefined;
  if (!redirect) return finishSetup(ledger, session, attempt);
  session._attempt = attempt;
  return { type: 'authenticate', url: redirect.url };
}

function finishSetup(ledger: Ledger, session: CheckoutSession, attempt: CheckoutAttempt): Progress {
  const intent = stored(ledger.data, 'setup_intent', session.setup_intent);
  if (intent.status !== 'succeeded')
    return declined((intent.last_setup_error?.message as string | undefined) ?? 'Your card was not accepted.');
  if (!session.customer) {
    session.customer = newBuyer(ledger, session, attempt);
    intent.customer = session.customer;
    attachMethod(ledger, stored(ledger.data, 'payment_method', attempt.method), session.customer);
  }
  return complete(ledger, session);
}

/** Creates a customer with the session's email or the one that the buyer entered. */
function newBuyer(ledger: Ledger, session: CheckoutSession, { email }: CheckoutAttempt): string {
  const customer = newCustomer(ledger, null);
  customer.email = session.customer_email ?? email;
  ledger.put('customer', customer);
  ledger.emit('customer.created', customer);
  return customer.id;
}

function complete(ledger: Ledger, session: CheckoutSession): Progress {
  session.status = 'complete';
  session.customer_details = detailsOf(stored(ledger.data, 'customer', session.customer));
  session.url = null;
  ledger.emit('checkout.session.completed', session);
  return { type: 'complete' };
}

function writeBought({ data }: Ledger, session: CheckoutSession, subscription: Subscription): void {
  session.subscription = subscription.id;
  session.invoice = subscription.latest_invoice;
  const invoice = stored(data, 'invoice', subscription.latest_invoice ?? '');
  session.amount_subtotal = invoice.subtotal;
  session.amount_total = invoice.total;
  session._line_discounts = lineDiscounts(invoice);
  const amount_discount = (invoice.subtotal as number) - invoice.total;
  session.total_details = { amount_discount, amount_shipping: 0, amount_tax: 0 };
  session.discounts = subscription.discounts.map((id) => {
    const { promotion_code, source } = stored(data, 'discount', id);
    return { coupon: promotion_code ? null : source.coupon, promotion_code };
  });
}

export function detailsOf({ email, name, phone }: Customer) {
  return {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name,
    phone: phone ?? null,
    tax_exempt: 'none',
    tax_ids: [],
  };
}

export function expireCheckout(ledger: Ledger, session: CheckoutSession): void {
  session.status = 'expired';
  session.url = null;
  const intent = ledger.data.objects.setup_intent[session.setup_intent ?? ''];
  if (intent) intent.status = 'canceled';
  ledger.emit('checkout.session.expired', session);
}
