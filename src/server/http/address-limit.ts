import type { Services } from '../core/context.ts';
import { tooMany } from '../core/errors.ts';
import { inSeconds } from '../core/in-seconds.ts';
import { sourceOf } from '../core/network-of.ts';
import type { RateLimitState } from '../core/rate-limit.ts';

/** Many people share an address: a clinic's network, a mobile operator's. */
const CREDENTIALS_AN_ADDRESS = 4;

/**
 * Holds an address back that asks too often, at whichever door, before anything that it sent is read: `rate_limited`.
 * An IPv6 address stands for its /64.
 */
export function refuseFlood(services: Services, ip: string): void {
  refuseBeyond(services, `ip:${sourceOf(ip)}`, services.config.requestsPerMinute * CREDENTIALS_AN_ADDRESS);
}

/** The same for one kind of request, or one credential: counts one more, or throws `rate_limited`. */
export function refuseBeyond(services: Services, key: string, perMinute: number): RateLimitState {
  const state = services.limits.minute.take(key, perMinute);
  if (state.allowed) return state;
  throw tooMany(
    `Too many requests; try again in ${inSeconds(state.resetSeconds)}.`,
    state.resetSeconds,
    rateLimitHeaders(state),
  );
}

export const rateLimitHeaders = (state: RateLimitState): Record<string, string> => ({
  'ratelimit-policy': `"default";q=${state.limit};w=60`,
  ratelimit: `"default";r=${state.remaining};t=${state.resetSeconds}`,
});
