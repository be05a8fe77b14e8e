import { permissionsPolicy } from './answer-headers.ts';

/** Where a page that takes cards talks to besides ourselves. */
export type PaymentOrigins = { script: string; api: string };

const STRIPE: PaymentOrigins = { script: 'https://js.stripe.com', api: 'https://api.stripe.com' };
const STRIPE_FRAMES = ['https://js.stripe.com', 'https://hooks.stripe.com', 'https://*.js.stripe.com'];

const PAYING_PAGES = new Set(['/checkout', '/manage', '/playground']);

/** Whether a page shows the processor's card fields. */
export const isPayingPage = (path: string): boolean => PAYING_PAGES.has(path);

/** The patient's pages of a visit, and the page on which staff hold it. */
const CALL_PAGES = /^\/(?:visit(?:\/[^/]+)?|appointments\/[^/]+\/call)$/;

/** Whether a page may use camera and microphone. */
export const isCallPage = (path: string): boolean => CALL_PAGES.test(path);

/** Beside its content security policy, what a page says otherwise than every answer does. */
export const pageHeaders = (path: string): Record<string, string> =>
  isCallPage(path)
    ? {
        'permissions-policy': permissionsPolicy(true),
        // Whoever is opened from a call, or opens one, gets no hold of its window, and learns no address of it.
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      }
    : {};

export function paymentOrigins(stripe: { scriptUrl: string | null; apiUrl: string }): PaymentOrigins {
  return stripe.scriptUrl ? { script: new URL(stripe.scriptUrl).origin, api: new URL(stripe.apiUrl).origin } : STRIPE;
}

/**
 * The content security policy of a page (CSP Level 3). Scripts run and styles apply by the nonce that Next puts on its
 * own. Only pages that take cards may reach the
 * processor; a call's pages reach nobody but us, for what two browsers say to each other is no request of a page.
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
    // Next's development build puts styles into the page as it goes.
    'style-src': ["'self'", development ? "'unsafe-inline'" : `'nonce-${nonce}'`],
    // The processor's script puts its frames in place by style attributes; nothing of ours does.
    ...(payment && { 'style-src-attr': ["'unsafe-inline'"] }),
    'img-src': ["'self'", 'data:', 'blob:', ...(payment ? [payment.script] : [])],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...(payment ? [payment.script, payment.api] : []), ...(development ? ['ws:'] : [])],
    // The one that shows our page where there is no connection.
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
