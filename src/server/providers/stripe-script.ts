import type { Config } from '../core/config.ts';
import { apiError, notFound } from '../core/errors.ts';

/**
 * Returns the sandbox's Stripe.js from the Stripe emulator. Apps load it from this service, whose address does not
 * change. The script sends card data to the emulator directly, so cards bypass the service as they do in production.
 * @throws `not_found`, `provider_unavailable`
 */
export async function getStripeScript({ stripe, providerTimeoutMs }: Config): Promise<string> {
  if (!stripe.scriptUrl || !stripe.jsUrl) throw notFound('script');
  const signal = AbortSignal.timeout(providerTimeoutMs);
  const response = await fetch(stripe.jsUrl, { redirect: 'error', signal }).catch(() => null);
  const script = response?.ok ? await response.text().catch(() => null) : null;
  if (script === null)
    throw apiError('provider_unavailable', 'STRIPE_JS_URL gives no script; start what is there and try again.');
  return script;
}
