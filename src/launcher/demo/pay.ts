import type { SubscriptionView } from '#contract/subscriptions.ts';
import { expectStatus } from './api.ts';
import { check } from './steps.ts';
import type { Target } from './target.ts';

const GOOD_CARD = { number: '4242424242424242', exp_month: '12', exp_year: '2034', cvc: '123' };

/** Confirms the first payment with the publishable key and the client secret alone, as Stripe.js does in a browser. */
export async function pay(target: Pick<Target, 'stripeUrl'>, subscription: SubscriptionView): Promise<string> {
  const intent = subscription.latest_invoice?.payment_intent;
  check(subscription.next_action === 'payment', 'next_action to be "payment"');
  check(typeof intent?.client_secret === 'string', 'a client_secret in latest_invoice.payment_intent');
  const form = new URLSearchParams({
    key: subscription.payment_client.publishable_key,
    _stripe_account: subscription.payment_client.account_id,
    client_secret: intent.client_secret,
    'payment_method_data[type]': 'card',
  });
  for (const [name, value] of Object.entries(GOOD_CARD)) form.set(`payment_method_data[card][${name}]`, value);
  const path = `/v1/payment_intents/${intent.id}/confirm`;
  const response = await fetch(`${target.stripeUrl}${path}`, { method: 'POST', body: form });
  await expectStatus(response, 200, `POST ${path}`);
  const { status } = (await response.json()) as { status: string };
  check(status === 'succeeded', `the payment to succeed, and it is ${status}`);
  return status;
}
