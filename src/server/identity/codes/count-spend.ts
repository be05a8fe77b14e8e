import { HOUR } from '../../core/clock.ts';
import type { Context } from '../../core/context.ts';
import { createRateLimiter } from '../../core/rate-limit.ts';
import { attemptKey, strictest } from '../attempts.ts';
import { perDatabase } from '../per-database.ts';

/** Of the whole service, whichever clinic pays: by where it is asked, by what is reached, and at all. */
const PER_HOUR = { source: 300, prefix: 1000, everybody: 20_000 };

const limiterOf = perDatabase((services) => createRateLimiter(services, HOUR));

/**
 * Counts one code for all clinics together: 0, or the seconds to wait when there were too many. Prefixes are counted of
 * numbers only: half of all people share a mail domain, and a mail costs nothing.
 */
export function countSpend(ctx: Context, { source, prefix }: { source: string; prefix: string }): number {
  const limiter = limiterOf(ctx);
  const takes: [string, number][] = [
    [attemptKey('spend/source', source), PER_HOUR.source],
    ['spend/everybody', PER_HOUR.everybody],
  ];
  if (prefix.startsWith('+')) takes.push([attemptKey('spend/prefix', prefix), PER_HOUR.prefix]);
  const { allowed, resetSeconds } = strictest(takes.map(([key, limit]) => limiter.take(key, limit)));
  if (allowed) return 0;
  // What is refused costs nothing and must not keep others waiting.
  for (const [key] of takes) limiter.giveBack(key);
  return resetSeconds;
}
