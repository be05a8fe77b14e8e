import type { Services } from '../core/context.ts';
import { formatWait, rateLimited } from '../core/errors.ts';
import { sourceOf } from '../core/ip-address.ts';
import { consumeRateLimit, type RateLimitState, type RateLimitUse } from '../core/rate-limiter.ts';
import { RATE_LIMITS } from '../core/rate-limits.ts';

/**
 * Counts a request of an address across all routes, before its body is read. An IPv6 address counts as its /64.
 * @throws `rate_limited`
 */
export function assertAddressLimit(services: Services, ip: string): void {
  assertRequestLimit(services, { name: 'source_requests', key: [sourceOf(ip)] });
}

/** Counts one kind of request, or one credential. @throws `rate_limited` */
export function assertRequestLimit(services: Services, use: RateLimitUse): ReturnType<typeof consumeRateLimit> {
  const state = consumeRateLimit(services, use);
  if (state.allowed) return state;
  const detail = RATE_LIMITS[use.name].detail(formatWait(state.resetSeconds));
  throw rateLimited(detail, state.resetSeconds, rateLimitHeaders(state));
}

export const rateLimitHeaders = (state: RateLimitState): Record<string, string> => ({
  'ratelimit-policy': `"default";q=${state.limit};w=60`,
  ratelimit: `"default";r=${state.remaining};t=${state.resetSeconds}`,
});
