import { type Clock, HOUR, MINUTE } from './clock.ts';
import { sha256 } from './crypto.ts';
import type { Database } from './db.ts';
import { formatSeconds, rateLimited } from './errors.ts';
import type { Logger } from './log.ts';

const FLUSH_MS = 500;

export type RateLimitState = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };
export type RateLimiter = {
  /**
   * Counts one request. Decides at once by this process's knowledge; the counts of others arrive within half a second.
   */
  consume(key: string, limit: number): RateLimitState;
  /** Subtracts one request that turned out not to count, such as a sign-in with the right password. */
  refund(key: string): void;
  /** Exchanges the remaining counts; later ones stay in this process. */
  close(): Promise<void>;
};

type Dependencies = { database: Pick<Database, 'system'>; clock: Clock; log: Logger };
type Bucket = {
  windowAt: number;
  limit: number;
  /** The known count of all processes. */
  total: number;
  /** The count of this process that the others do not know yet. */
  unsent: number;
};

/** Below this fraction of the limit, counts stay in the process: most keys never come near it and cost no query. */
const SHARED_FROM = 1 / 4;

/**
 * Creates a fixed-window rate limiter (one minute, or one hour) that all processes share. Counts are summed locally and
 * exchanged in one statement twice a second, so that a limit adds no latency to a request. The price is an overshoot:
 * half a second's requests, and the counts that each process keeps below `SHARED_FROM`. A failed exchange is retried
 * with the next.
 */
export function createRateLimiter(services: Dependencies, window: typeof MINUTE | typeof HOUR = MINUTE): RateLimiter {
  const buckets = new Map<string, Bucket>();
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let closed = false;

  async function flush() {
    const now = services.clock.now().getTime();
    const windowAt = now - (now % window);
    const changed: [string, Bucket][] = [];
    for (const [key, bucket] of buckets) {
      if (bucket.windowAt !== windowAt) buckets.delete(key);
      else if (bucket.unsent !== 0 && bucket.total >= bucket.limit * SHARED_FROM) changed.push([key, bucket]);
    }
    if (changed.length === 0) return;
    const sent = changed.map(([key, bucket]) => ({ key, bucket, count: bucket.unsent }));
    sent.sort((a, b) => (a.key < b.key ? -1 : 1)); // the same lock order in all processes
    try {
      const rows = await services.database.system.$queryRaw<{ key: string; count: number }[]>`
        insert into rate_limit_counts (key, window_at, count)
        select key, ${new Date(windowAt)}::timestamptz, count
        from unnest(${sent.map((s) => s.key)}::text[], ${sent.map((s) => s.count)}::int[]) as t(key, count)
        on conflict (key, window_at) do update set count = rate_limit_counts.count + excluded.count
        returning key, count`;
      const totals = new Map(rows.map((row) => [row.key, row.count]));
      for (const { key, bucket, count } of sent) {
        bucket.unsent -= count;
        bucket.total = Math.max(bucket.total, (totals.get(key) ?? 0) + bucket.unsent);
      }
      if (Math.random() < 0.01)
        await services.database.system.rateLimitCount.deleteMany({
          where: { windowAt: { lt: new Date(now - 2 * HOUR) } },
        });
    } catch (error) {
      services.log.warn({ err: (error as Error).message }, 'rate limits could not be shared');
    }
  }

  function flushSoon() {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = null;
      // Flushes run one after another: counts in transit must not be sent twice.
      running = running.then(flush);
    }, FLUSH_MS).unref();
  }

  return {
    consume(key, limit) {
      const now = services.clock.now().getTime();
      const windowAt = now - (now % window);
      let bucket = buckets.get(key);
      if (bucket?.windowAt !== windowAt) {
        bucket = { windowAt, limit, total: 0, unsent: 0 };
        buckets.set(key, bucket);
      }
      bucket.total += 1;
      bucket.unsent += 1;
      flushSoon();
      return {
        allowed: bucket.total <= limit,
        limit,
        remaining: Math.max(0, limit - bucket.total),
        resetSeconds: Math.ceil((windowAt + window - now) / 1000),
      };
    },
    refund(key) {
      const bucket = buckets.get(key);
      if (!bucket || bucket.total === 0) return;
      bucket.total -= 1;
      bucket.unsent -= 1;
    },
    async close() {
      closed = true;
      if (timer) clearTimeout(timer);
      timer = null;
      await running;
      await flush();
    },
  };
}

/** All rate limits of a process: requests and attempts per minute, costly operations per hour. */
export type Limits = { minute: RateLimiter; hour: RateLimiter };

export const createLimits = (services: Dependencies): Limits => ({
  minute: createRateLimiter(services),
  hour: createRateLimiter(services, HOUR),
});

/** Hashes what callers type: it may be a mistyped secret. */
export const limitKey = (purpose: string, ...parts: string[]): string => `${purpose}:${sha256(parts.join('\n'))}`;

export const strictest = (states: RateLimitState[]): RateLimitState =>
  states.find((state) => !state.allowed) ?? states[0]!;

/** Counts one attempt in the current minute. @throws `rate_limited` */
export function assertRateLimit({ limits }: { limits: { minute: RateLimiter } }, key: string, perMinute: number): void {
  const { allowed, resetSeconds } = limits.minute.consume(key, perMinute);
  if (!allowed) throw rateLimited(`Too many tries; wait ${formatSeconds(resetSeconds)} and try again.`, resetSeconds);
}
