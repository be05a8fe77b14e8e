import type { Config } from '../core/config.ts';

/** Without `includeSubDomains`: other hosts of the clinic's domain are not ours to decide about (RFC 6797 §6.1). */
const ONE_YEAR_SECONDS = 31_536_000;

/** Features that no page uses; denied to all scripts and frames. */
const NEVER = ['geolocation', 'usb', 'serial', 'hid', 'midi'];
/** Features that only a video call uses: devices, the choice of speaker, screen sharing and the wake lock. */
const OF_A_CALL = ['camera', 'microphone', 'speaker-selection', 'display-capture', 'screen-wake-lock'];

/** Returns the `Permissions-Policy` of a page. */
export const permissionsPolicy = (isCall: boolean): string =>
  [
    ...OF_A_CALL.map((name) => `${name}=${isCall ? '(self)' : '()'}`),
    ...NEVER.map((name) => `${name}=()`),
    // Stripe's frame requests Apple Pay and Google Pay.
    isCall ? 'payment=()' : 'payment=(self "https://js.stripe.com")',
  ].join(', ');

/**
 * Returns the default headers of every response. A page replaces the content security policy (`page-policy.ts`);
 * cacheable responses set their own `Cache-Control`, all others have `no-store`.
 */
export function defaultHeaders({ environment }: Pick<Config, 'environment'>): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': permissionsPolicy(false),
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(environment === 'production' && { 'strict-transport-security': `max-age=${ONE_YEAR_SECONDS}` }),
  };
}
