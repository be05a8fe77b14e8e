import type { Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';

/** Runs a script of the given address once; the package below then finds Stripe in place instead of fetching its own. */
function runScript(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = src;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${src} could not be loaded`));
    document.head.append(script);
  });
}

/** Stripe.js for the clinic's own account; `scriptUrl` is the settings' address of it, or null for Stripe's. */
export async function loadProcessor(
  client: { publishable_key: string; account_id: string },
  scriptUrl: string | null,
): Promise<Stripe | null> {
  if (scriptUrl && !('Stripe' in window)) await runScript(scriptUrl);
  return loadStripe(client.publishable_key, { stripeAccount: client.account_id });
}
