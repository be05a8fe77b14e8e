import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { Api } from './api.ts';
import { readCard } from './card.ts';
import { expect } from './fixtures.ts';

/** Does what Stripe.js does with the client secret: pays the first bill, or saves the card of a trial. */
async function payFor(subscription: SubscriptionView, number = '4242424242424242'): Promise<void> {
  const { latest_invoice, pending_setup_intent, payment_client } = subscription;
  const secret = latest_invoice?.payment_intent?.client_secret ?? pending_setup_intent?.client_secret ?? '';
  const [id] = secret.split('_secret_') as [string];
  const kind = id.startsWith('seti_') ? 'setup_intents' : 'payment_intents';
  const response = await fetch(`${new URL(readCard().emulators.stripe).origin}/v1/${kind}/${id}/confirm`, {
    method: 'POST',
    body: new URLSearchParams({
      key: payment_client.publishable_key,
      client_secret: secret,
      _stripe_account: payment_client.account_id,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': number,
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '2040',
      'payment_method_data[card][cvc]': '123',
      use_stripe_sdk: 'true',
    }),
  });
  if (!response.ok) throw new Error(`the card was rejected: ${response.status} ${await response.text()}`);
}

/** A subscription that was paid, or whose trial has its card, once it is stored here with its bill. */
export async function createSubscription(api: Api, kind: 'paid' | 'trial', name?: string) {
  const patient = await api.createPatient(name);
  const subscription = await api.subscribe(patient.id, kind);
  await payFor(subscription);
  const expectedStatus = kind === 'paid' ? 'active' : 'trialing';
  await expect
    .poll(async () => {
      const { status, payment_method } = await api.subscription(subscription.id);
      return [status, payment_method?.last4, (await api.payments(subscription.id)).length];
    })
    .toEqual([expectedStatus, '4242', 1]);
  return { patient, id: subscription.id };
}
