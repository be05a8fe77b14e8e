import type { Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';
import type { CheckoutView } from '#contract/subscriptions.ts';

/**
 * Stripe.js for the clinic's account. The library always fetches Stripe's own address unless `window.Stripe` is there
 * already, so a script from elsewhere has to be loaded before it is asked.
 */
export async function loadStripeJs(script: string | null, client: CheckoutView['payment_client']): Promise<Stripe> {
  if (script && !('Stripe' in window)) await loadScript(script);
  const stripe = await loadStripe(client.publishable_key, { stripeAccount: client.account_id });
  if (!stripe) throw new Error('Stripe.js did not start');
  return stripe;
}

const loadScript = (address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      reject(new Error('Stripe.js could not be loaded'));
    };
    document.head.append(script);
  });
