import type { Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';

type PaymentClient = {
  publishable_key: string;
  account_id: string;
  script_url: string | null;
};

/**
 * Loads Stripe.js for the clinic's connected account. A sandbox emulates Stripe
 * and names a script of its own, which must load first: `loadStripe` then uses
 * it instead of fetching Stripe's.
 */
export async function loadStripeJs({ publishable_key, account_id, script_url }: PaymentClient): Promise<Stripe> {
  if (script_url && !('Stripe' in window)) await loadScript(script_url);
  const stripe = await loadStripe(publishable_key, { stripeAccount: account_id });
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
