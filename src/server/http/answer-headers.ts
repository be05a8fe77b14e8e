import type { Config } from '../core/config.ts';

/** No subdomains: what else stands beside a clinic's address is not ours to decide (RFC 6797 §6.1). */
const ONE_YEAR_SECONDS = 31_536_000;

/**
 * What every answer says, whichever door, page or file it is. A page replaces the policy by its own (`page-policy.ts`);
 * what may be kept says so itself, and everything else is kept by nobody.
 */
export function answerHeaders({ environment }: Pick<Config, 'environment'>): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': 'camera=(self), microphone=(self), geolocation=(), payment=(self)',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(environment === 'production' && { 'strict-transport-security': `max-age=${ONE_YEAR_SECONDS}` }),
  };
}
