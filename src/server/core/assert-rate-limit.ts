import type { Services } from './context.ts';
import { sha256 } from './crypto.ts';
import { formatSeconds, rateLimited } from './errors.ts';
import type { RateLimitState } from './rate-limit.ts';

/** Hashes what callers type: it may be a mistyped secret. */
export const limitKey = (purpose: string, ...parts: string[]): string => `${purpose}:${sha256(parts.join('\n'))}`;

export const strictest = (states: RateLimitState[]): RateLimitState =>
  states.find((state) => !state.allowed) ?? states[0]!;

/** Counts one attempt in the current minute. @throws `rate_limited` */
export function assertRateLimit(services: Services, key: string, perMinute: number): void {
  const { allowed, resetSeconds } = services.limits.minute.consume(key, perMinute);
  if (!allowed) throw rateLimited(`Too many tries; wait ${formatSeconds(resetSeconds)} and try again.`, resetSeconds);
}
