import type { Config } from '../core/config.ts';

/** No subdomains: what else stands beside a clinic's address is not ours to decide (RFC 6797 §6.1). */
const ONE_YEAR_SECONDS = 31_536_000;

/** What no page of ours has: each is refused to whatever script runs in it, and to frames. */
const NEVER = ['geolocation', 'usb', 'serial', 'hid', 'midi'];
/** What a call wants, and nothing else: devices, which of several speakers, the screen, and that it stays lit. */
const OF_A_CALL = ['camera', 'microphone', 'speaker-selection', 'display-capture', 'screen-wake-lock'];

/** What a page may ask the browser for. */
export const permissionsPolicy = (isCall: boolean): string =>
  [
    ...OF_A_CALL.map((name) => `${name}=${isCall ? '(self)' : '()'}`),
    ...NEVER.map((name) => `${name}=()`),
    // Apple Pay and Google Pay are asked for from within the processor's frame.
    isCall ? 'payment=()' : 'payment=(self "https://js.stripe.com")',
  ].join(', ');

/**
 * What every answer says, whichever door, page or file it is. A page replaces the policy by its own (`page-policy.ts`);
 * what may be kept says so itself, and everything else is kept by nobody.
 */
export function answerHeaders({ environment }: Pick<Config, 'environment'>): Record<string, string> {
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
