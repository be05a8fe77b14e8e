import type { Services } from '../core/context.ts';
import { formatSeconds, rateLimited } from '../core/errors.ts';
import { sourceOf } from '../core/ip-address.ts';
import type { RateLimitState } from '../core/rate-limit.ts';

/** Many people share an address: a clinic's network, a mobile operator's. */
const CREDENTIALS_PER_ADDRESS = 4;

/**
 * Counts a request of an address across all routes, before its body is read. An IPv6 address counts as its /64.
 * @throws `rate_limited`
 */
export function assertAddressLimit(services: Services, ip: string): void {
  assertRequestLimit(services, `ip:${sourceOf(ip)}`, services.config.requestsPerMinute * CREDENTIALS_PER_ADDRESS);
}

/** Counts one kind of request, or one credential. @throws `rate_limited` */
export function assertRequestLimit(services: Services, key: string, perMinute: number): RateLimitState {
  const state = services.limits.minute.consume(key, perMinute);
  if (state.allowed) return state;
  throw rateLimited(
    `Too many requests; try again in ${formatSeconds(state.resetSeconds)}.`,
    state.resetSeconds,
    rateLimitHeaders(state),
  );
}

export const rateLimitHeaders = (state: RateLimitState): Record<string, string> => ({
  'ratelimit-policy': `"default";q=${state.limit};w=60`,
  ratelimit: `"default";r=${state.remaining};t=${state.resetSeconds}`,
});
