import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { PaymentIntent, SetupIntent } from '../objects.ts';

export interface ConfirmOptions {
  offSession: boolean;
  /** Where the browser returns to after a redirected authentication. */
  returnUrl: string | null;
  /** Stripe.js shows the challenge itself, without a redirect. */
  useStripeSdk: boolean;
  /** The cardholder has just passed 3-D Secure for this attempt. */
  authenticated?: boolean;
}

/** URL of the bank's page for one challenge. */
export const challengeUrl = ({ accountId, world }: Ledger, source: string) =>
  `${world.baseUrl}/3ds/${accountId}/${source}`;

/** Sets an intent to `requires_action`, with the challenge for Stripe.js or as a page to redirect to. */
export function requireAuthentication(
  ledger: Ledger,
  intent: PaymentIntent | SetupIntent,
  { returnUrl, useStripeSdk }: ConfirmOptions,
): void {
  const source = newId('payatt');
  const url = challengeUrl(ledger, source);
  intent.status = 'requires_action';
  intent._authentication = source;
  intent._return_url = returnUrl;
  intent.next_action =
    returnUrl && !useStripeSdk
      ? { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url } }
      : { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', source, stripe_js: url } };
}

/** The error that a failed challenge records. */
export const AUTHENTICATION_FAILED = {
  message: 'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
};
