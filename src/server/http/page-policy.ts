import { permissionsPolicy } from './default-headers.ts';

/** Origins that a page with card fields contacts in addition to its own. */
type PaymentOrigins = { script: string; api: string };

const STRIPE: PaymentOrigins = { script: 'https://js.stripe.com', api: 'https://api.stripe.com' };
const STRIPE_FRAMES = ['https://js.stripe.com', 'https://hooks.stripe.com', 'https://*.js.stripe.com'];

const PAYING_PAGES = new Set(['/checkout', '/manage', '/playground']);

/** Returns whether the page shows Stripe's card fields. */
export const isPayingPage = (path: string): boolean => PAYING_PAGES.has(path);

/** The patient's pages of a visit, and the staff's page of a call. */
const CALL_PAGES = /^\/(?:visit(?:\/[^/]+)?|appointments\/[^/]+\/call)$/;

/** Returns whether the page may use camera and microphone. */
export const isCallPage = (path: string): boolean => CALL_PAGES.test(path);

/** Returns the headers in which a page differs from `defaultHeaders`, except the content security policy. */
export const pageHeaders = (path: string): Record<string, string> =>
  isCallPage(path)
    ? {
        'permissions-policy': permissionsPolicy(true),
        // Isolates the call's window from windows that it opens or that opened it, and hides its address from them.
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      }
    : {};

export function paymentOrigins(stripe: { scriptUrl: string | null; apiUrl: string }): PaymentOrigins {
  return stripe.scriptUrl ? { script: new URL(stripe.scriptUrl).origin, api: new URL(stripe.apiUrl).origin } : STRIPE;
}

/**
 * Returns the content security policy of a page (CSP Level 3). Scripts and styles are allowed by the nonce that Next
 * sets. Only pages that take cards may contact Stripe. Pages of a call contact only their own origin: WebRTC media is
 * not covered by CSP.
 */
export function contentSecurityPolicy(page: {
  nonce: string;
  payment: PaymentOrigins | null;
  development: boolean;
}): string {
  const { nonce, payment, development } = page;
  const rules = {
    'default-src': ["'self'"],
    // React's development build evaluates source maps.
    'script-src': ["'self'", `'nonce-${nonce}'`, "'strict-dynamic'", ...(development ? ["'unsafe-eval'"] : [])],
    // Next's development build injects styles at run time.
    'style-src': ["'self'", development ? "'unsafe-inline'" : `'nonce-${nonce}'`],
    // Stripe's script positions its frames by style attributes; no other code does.
    ...(payment && { 'style-src-attr': ["'unsafe-inline'"] }),
    'img-src': ["'self'", 'data:', 'blob:', ...(payment ? [payment.script] : [])],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...(payment ? [payment.script, payment.api] : []), ...(development ? ['ws:'] : [])],
    // The service worker that shows the offline page.
    'worker-src': ["'self'"],
    'frame-src': payment ? [payment.script, ...STRIPE_FRAMES] : ["'none'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
  };
  return Object.entries(rules)
    .map(([name, values]) => `${name} ${[...new Set(values)].join(' ')}`)
    .join('; ');
}
