import { Refusal } from '../../core/reply.ts';
import type { Ledger } from '../ledger.ts';
import type { CheckoutSession, Customer, PaymentIntent, PaymentMethod, SetupIntent, Subscription } from '../objects.ts';
import { newCustomer } from '../resources/new-customer.ts';
import { cancelSubscription } from './cancel-subscription.ts';
import { cardByNumber, judge } from './cards.ts';
import { confirmPaymentIntent } from './confirm-payment-intent.ts';
import { confirmSetupIntent } from './confirm-setup-intent.ts';
import { createSubscription } from './create-subscription.ts';

/** What the customer of a session still has to do after trying to pay. */
export type Progress =
  | { type: 'complete' }
  | { type: 'authenticate'; url: string }
  | { type: 'refused'; message: string };

export interface Tried {
  /** None where none is asked for. */
  method: PaymentMethod | null;
  email: string | null;
  promotionCode?: string;
  returnUrl: string;
}

/** Tries to do what the session is for; a refusal leaves it open and nothing else behind. */
export function payCheckout(ledger: Ledger, session: CheckoutSession, tried: Tried): Progress {
  const problem = tried.method && refusedAtOnce(session, tried.method);
  if (problem) return { type: 'refused', message: problem };
  const customer = buyerOf(ledger, session, tried.email);
  if (session.mode === 'setup') {
    const intent = ledger.data.objects.setup_intent[session.setup_intent!]!;
    intent.customer = customer;
    session._attempt = intent.id;
  } else {
    session._attempt = subscribe(ledger, session, customer, tried.promotionCode).id;
  }
  const intent = intentOf(ledger, session);
  if (!intent || !tried.method) return finishCheckout(ledger, session);
  const options = { offSession: false, returnUrl: tried.returnUrl, useStripeSdk: false };
  try {
    if (intent.object === 'payment_intent')
      confirmPaymentIntent(ledger, intent as PaymentIntent, tried.method, options);
    else confirmSetupIntent(ledger, intent as SetupIntent, tried.method, options);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return finishCheckout(ledger, session);
  }
  const redirect = intent.next_action?.redirect_to_url as { url: string } | undefined;
  return redirect ? { type: 'authenticate', url: redirect.url } : finishCheckout(ledger, session);
}

/** No subscription is begun with a card that its bank would refuse anyway. */
function refusedAtOnce({ mode }: CheckoutSession, { _number, _set_up }: PaymentMethod): string | undefined {
  const purpose = mode === 'setup' ? 'setup' : 'charge';
  const card = cardByNumber(_number)!;
  const verdict = judge(card, { purpose, authenticated: false, offSession: false, setUp: _set_up });
  return verdict.type === 'refused' ? verdict.problem.message : undefined;
}

/** Who pays: the customer of the session, or a new one by the address that was typed. */
function buyerOf(ledger: Ledger, session: CheckoutSession, email: string | null): string {
  if (session.customer) return session.customer;
  if (!session._customer) {
    const customer = newCustomer(ledger, null);
    customer.email = session.customer_email ?? email;
    session._customer = ledger.put('customer', customer).id;
    ledger.emit('customer.created', customer);
  }
  return session._customer;
}

function subscribe(
  ledger: Ledger,
  session: CheckoutSession,
  customer: string,
  promotionCode: string | undefined,
): Subscription {
  const discounts = promotionCode ? [{ promotion_code: promotionCode }] : session._discounts;
  return createSubscription(ledger, {
    ...session._subscription_data,
    customer,
    items: session._items,
    payment_behavior: 'default_incomplete',
    save_default_payment_method: 'on_subscription',
    ...(discounts.length > 0 && { discounts }),
  });
}

/** Completes a session whose payment or setup succeeded; otherwise takes the attempt back. */
export function finishCheckout(ledger: Ledger, session: CheckoutSession): Progress {
  const subscription = ledger.data.objects.subscription[session._attempt!];
  const intent = intentOf(ledger, session);
  session._attempt = null;
  const needsCard = session.payment_method_collection !== 'if_required' || intent?.object === 'payment_intent';
  if (intent && intent.status !== 'succeeded' && needsCard) {
    if (subscription) cancelSubscription(ledger, subscription);
    const problem = (intent.last_payment_error ?? intent.last_setup_error) as { message?: string } | null;
    return { type: 'refused', message: problem?.message ?? 'Your card was not accepted.' };
  }
  session.status = 'complete';
  session.payment_status = intent?.object === 'payment_intent' ? 'paid' : 'no_payment_required';
  session.customer ??= session._customer;
  const customer = ledger.data.objects.customer[session.customer ?? ''];
  if (customer) session.customer_details = detailsOf(customer);
  if (subscription) writeBought(ledger, session, subscription);
  session.url = null;
  ledger.emit('checkout.session.completed', session);
  return { type: 'complete' };
}

function writeBought({ data }: Ledger, session: CheckoutSession, subscription: Subscription): void {
  session.subscription = subscription.id;
  session.invoice = subscription.latest_invoice;
  const invoice = data.objects.invoice[subscription.latest_invoice ?? '']!;
  session.amount_subtotal = invoice.subtotal;
  session.amount_total = invoice.total;
  const amount_discount = (invoice.subtotal as number) - invoice.total;
  session.total_details = { amount_discount, amount_shipping: 0, amount_tax: 0 };
  session.discounts = subscription.discounts.map((id) => {
    const { promotion_code, source } = data.objects.discount[id]!;
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

/** What the first payment or, when nothing is due, the saving of a card hangs on; also after it succeeded. */
function intentOf(
  { data: { objects } }: Ledger,
  { _attempt }: CheckoutSession,
): PaymentIntent | SetupIntent | undefined {
  const subscription = objects.subscription[_attempt ?? ''];
  if (!subscription) return objects.setup_intent[_attempt ?? ''];
  const invoice = objects.invoice[subscription.latest_invoice ?? ''];
  const payment = objects.payment_intent[invoice?._payment_intent ?? ''];
  return payment ?? Object.values(objects.setup_intent).find((intent) => intent._subscription === subscription.id);
}
