import { Refusal } from '../../core/reply.ts';
import type { Ledger } from '../ledger.ts';
import type { CheckoutSession, PaymentIntent, PaymentMethod, SetupIntent, Subscription } from '../objects.ts';
import { cancelSubscription } from './cancel-subscription.ts';
import { confirmPaymentIntent } from './confirm-payment-intent.ts';
import { confirmSetupIntent } from './confirm-setup-intent.ts';
import { createSubscription } from './create-subscription.ts';

/** What the customer of a session still has to do after trying to pay. */
export type Progress =
  | { type: 'complete' }
  | { type: 'authenticate'; url: string }
  | { type: 'refused'; message: string };

/** Makes the session's subscription and pays it with `method`; a refusal leaves the session open and nothing else behind. */
export function payCheckout(
  ledger: Ledger,
  session: CheckoutSession,
  method: PaymentMethod,
  promotionCode: string | undefined,
  returnUrl: string,
): Progress {
  const discounts = promotionCode ? [{ promotion_code: promotionCode }] : session._discounts;
  const subscription = createSubscription(ledger, {
    ...session._subscription_data,
    customer: session.customer!,
    items: session._items,
    payment_behavior: 'default_incomplete',
    save_default_payment_method: 'on_subscription',
    ...(discounts.length > 0 && { discounts }),
  });
  session._attempt = subscription.id;
  const intent = intentOf(ledger, subscription);
  if (!intent) return finishCheckout(ledger, session);
  const options = { offSession: false, returnUrl, useStripeSdk: false };
  try {
    if (intent.object === 'payment_intent') confirmPaymentIntent(ledger, intent as PaymentIntent, method, options);
    else confirmSetupIntent(ledger, intent as SetupIntent, method, options);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return finishCheckout(ledger, session);
  }
  const redirect = intent.next_action?.redirect_to_url as { url: string } | undefined;
  return redirect ? { type: 'authenticate', url: redirect.url } : finishCheckout(ledger, session);
}

/** Completes a session whose payment or setup succeeded; otherwise takes the attempt back. */
export function finishCheckout(ledger: Ledger, session: CheckoutSession): Progress {
  const subscription = ledger.data.objects.subscription[session._attempt!]!;
  const intent = intentOf(ledger, subscription);
  session._attempt = null;
  if (intent && intent.status !== 'succeeded') {
    cancelSubscription(ledger, subscription);
    const problem = (intent.last_payment_error ?? intent.last_setup_error) as { message?: string } | null;
    return { type: 'refused', message: problem?.message ?? 'Your card was not accepted.' };
  }
  session.status = 'complete';
  session.payment_status = intent?.object === 'payment_intent' ? 'paid' : 'no_payment_required';
  session.subscription = subscription.id;
  session.invoice = subscription.latest_invoice;
  session.url = null;
  ledger.emit('checkout.session.completed', session);
  return { type: 'complete' };
}

export function expireCheckout(ledger: Ledger, session: CheckoutSession): void {
  session.status = 'expired';
  session.url = null;
  ledger.emit('checkout.session.expired', session);
}

/** What the first payment or, when nothing is due, the saving of a card hangs on; also after it succeeded. */
function intentOf({ data }: Ledger, subscription: Subscription): PaymentIntent | SetupIntent | undefined {
  const invoice = data.objects.invoice[subscription.latest_invoice ?? ''];
  const payment = data.objects.payment_intent[invoice?._payment_intent ?? ''];
  return (
    payment ?? Object.values(data.objects.setup_intent).find(({ _subscription }) => _subscription === subscription.id)
  );
}
