import { type Clock, HOUR } from './clock.ts';
import type { Config } from './config.ts';
import { sha256 } from './crypto.ts';
import type { Database } from './db.ts';
import { formatWait, rateLimited } from './errors.ts';
import type { Logger } from './log.ts';
import { RATE_LIMITS, type RateLimit, type RateLimitName } from './rate-limits.ts';

const FLUSH_MS = 500;

export type RateLimitState = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };
type Window = { limit: number; window: RateLimit['window'] };
export type RateLimiter = {
  /**
   * Counts one request, unless the limit is reached. Decides at once by this process's knowledge; the counts of others
   * arrive within half a second. `key` is `name\nparts`; only the name is stored in plain text.
   */
  consume(key: string, window: Window): RateLimitState;
  /** Subtracts one request that turned out not to count, such as a sign-in with the right password. */
  refund(key: string): void;
  /** Exchanges the remaining counts; later ones stay in this process. */
  close(): Promise<void>;
};

type Dependencies = { database: Pick<Database, 'system'>; clock: Clock; log: Logger };
type Bucket = Window & {
  windowAt: number;
  /** The known count of all processes. */
  total: number;
  /** The count of this process that the others do not know yet. */
  unsent: number;
};

/** Below this fraction of the limit, counts stay in the process: most keys never come near it and cost no query. */
const SHARED_FROM = 1 / 4;

/**
 * Creates a fixed-window rate limiter that all processes share. Counts are summed locally and exchanged in one
 * statement twice a second, so that a limit adds no latency to a request. The price is an overshoot: half a second's
 * requests, and the counts that each process keeps below `SHARED_FROM`. A failed exchange is retried with the next.
 */
export function createRateLimiter(services: Dependencies): RateLimiter {
  const buckets = new Map<string, Bucket>();
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let closed = false;

  async function flush() {
    const now = services.clock.now().getTime();
    const sent: (Pick<Bucket, 'windowAt'> & { key: string; bucket: Bucket; count: number })[] = [];
    for (const [key, bucket] of buckets) {
      const { windowAt, unsent: count } = bucket;
      if (windowAt !== startOfWindow(now, bucket)) buckets.delete(key);
      else if (count !== 0 && bucket.total >= bucket.limit * SHARED_FROM)
        sent.push({ key: storedKey(key), windowAt, bucket, count });
    }
    if (sent.length === 0) return;
    sent.sort((a, b) => (a.key < b.key ? -1 : 1)); // the same lock order in all processes
    try {
      const rows = await services.database.system.$queryRaw<{ key: string; count: number }[]>`
        insert into rate_limit_counts (key, window_at, count)
        select * from unnest(${sent.map((s) => s.key)}::text[],
          ${sent.map((s) => new Date(s.windowAt))}::timestamptz[], ${sent.map((s) => s.count)}::int[])
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
    consume(key, window) {
      const now = services.clock.now().getTime();
      const windowAt = startOfWindow(now, window);
      let bucket = buckets.get(key);
      if (bucket?.windowAt !== windowAt) {
        bucket = { ...window, windowAt, total: 0, unsent: 0 };
        buckets.set(key, bucket);
      }
      const { limit } = window;
      const allowed = bucket.total + 1 <= limit;
      if (allowed) {
        bucket.total += 1;
        bucket.unsent += 1;
        flushSoon();
      }
      return {
        allowed,
        limit,
        remaining: Math.max(0, limit - bucket.total),
        resetSeconds: Math.ceil((windowAt + window.window - now) / 1000),
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

const startOfWindow = (now: number, { window }: Pick<Window, 'window'>): number => now - (now % window);

/** Hashes what callers type: it may be a mistyped secret. */
function storedKey(key: string): string {
  const [name, ...parts] = key.split('\n');
  return `${name}:${sha256(parts.join('\n'))}`;
}

/** One request under a limit. `share`: the part of the limit that it may use, if not all. */
export type RateLimitUse = { name: RateLimitName; key: string[]; share?: number };
type Limited = { rateLimiter: RateLimiter; config: Pick<Config, 'requestsPerMinute'> };

const keyOf = ({ name, key }: RateLimitUse): string => [name, ...key].join('\n');

/** Counts one request, unless the limit is reached. */
export function consumeRateLimit({ rateLimiter, config }: Limited, use: RateLimitUse): RateLimitState {
  const { limit, window }: RateLimit = RATE_LIMITS[use.name];
  const max = typeof limit === 'number' ? limit : limit.timesConfigured * config.requestsPerMinute;
  return rateLimiter.consume(keyOf(use), { limit: max * (use.share ?? 1), window });
}

export function refundRateLimit({ rateLimiter }: Pick<Limited, 'rateLimiter'>, ...uses: RateLimitUse[]): void {
  for (const use of uses) rateLimiter.refund(keyOf(use));
}

/**
 * Counts one attempt under each limit, or under none if one of them is reached.
 * @throws `rate_limited`
 */
export function assertRateLimit(services: Limited, ...uses: RateLimitUse[]): void {
  for (const [n, use] of uses.entries()) {
    const { allowed, resetSeconds } = consumeRateLimit(services, use);
    if (allowed) continue;
    refundRateLimit(services, ...uses.slice(0, n));
    throw rateLimited(RATE_LIMITS[use.name].detail(formatWait(resetSeconds)), resetSeconds);
  }
}
