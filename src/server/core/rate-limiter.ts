import { type Clock, HOUR, MINUTE } from './clock.ts';
import type { Config } from './config.ts';
import { sha256 } from './crypto.ts';
import type { Database } from './db.ts';
import { formatWait, rateLimited } from './errors.ts';
import type { Logger } from './log.ts';
import { RATE_LIMITS, type RateLimit, type RateLimitName } from './rate-limits.ts';

const FLUSH_MS = 500;

export type RateLimitState = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };
type Window = { limit: number; window: RateLimit['window'] };
/** A counted request. */
type Counted = RateLimitState & {
  /** Subtracts a request that turned out not to count, such as a sign-in with the right password. */
  refund(): void;
};
export type RateLimiter = {
  /**
   * Counts one request, unless the limit is reached. Decides at once by this process's knowledge; the counts of others
   * arrive within half a second.
   */
  consume(name: string, key: readonly string[], window: Window): Counted;
  /** Exchanges the remaining counts; later ones stay in this process. */
  close(): Promise<void>;
};

type Dependencies = { database: Pick<Database, 'system'>; clock: Clock; log: Logger };
type Bucket = Window & {
  name: string;
  key: string;
  windowAt: number;
  /** The known count of all processes. */
  total: number;
  /** The count of this process that the others do not know yet. */
  unsent: number;
  isShared: boolean;
};

/**
 * Below this fraction of a limit per minute, counts stay in the process: most keys never come near it and cost no query.
 */
const SHARED_FROM = 1 / 4;

/**
 * Creates a fixed-window rate limiter that all processes share. Counts are summed locally and exchanged in one
 * statement twice a second, so that a limit adds no latency to a request. The price is an overshoot: half a second's
 * requests, and the counts per minute that each process keeps below `SHARED_FROM`. A failed exchange is retried with
 * the next.
 */
export function createRateLimiter(services: Dependencies): RateLimiter {
  const buckets = new Map<string, Bucket>();
  /** Buckets whose count has changed since the last exchange. */
  const changed = new Set<Bucket>();
  let sweptAt = 0;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let closed = false;

  async function flush() {
    const now = services.clock.now().getTime();
    sweep(now);
    const sent = [...changed]
      .filter((bucket) => isCurrent(bucket, now) && isToShare(bucket))
      .map((bucket) => ({ bucket, key: storedKey(bucket), count: bucket.unsent }));
    changed.clear();
    if (sent.length === 0) return;
    sent.sort((a, b) => (a.key < b.key ? -1 : 1)); // the same lock order in all processes
    try {
      const rows = await services.database.system.$queryRaw<{ key: string; count: number }[]>`
        insert into rate_limit_counts (key, window_at, count)
        select * from unnest(${sent.map((s) => s.key)}::text[],
          ${sent.map((s) => new Date(s.bucket.windowAt))}::timestamptz[], ${sent.map((s) => s.count)}::int[])
        on conflict (key, window_at) do update set count = rate_limit_counts.count + excluded.count
        returning key, count`;
      const totals = new Map(rows.map((row) => [row.key, row.count]));
      for (const { key, bucket, count } of sent) {
        bucket.isShared = true;
        bucket.unsent -= count;
        bucket.total = (totals.get(key) ?? count) + bucket.unsent;
      }
      if (Math.random() < 0.01)
        await services.database.system.rateLimitCount.deleteMany({
          where: { windowAt: { lt: new Date(now - 2 * HOUR) } },
        });
    } catch (error) {
      services.log.warn({ err: (error as Error).message }, 'rate limits could not be shared');
      for (const { bucket } of sent) changed.add(bucket);
      flushSoon();
    }
  }

  function sweep(now: number) {
    if (now - sweptAt < MINUTE) return;
    sweptAt = now;
    for (const [id, bucket] of buckets) if (!isCurrent(bucket, now)) buckets.delete(id);
  }

  function flushSoon() {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = null;
      // Flushes run one after another: counts in transit must not be sent twice.
      running = running.then(flush);
    }, FLUSH_MS).unref();
  }

  function count(bucket: Bucket, by: 1 | -1) {
    bucket.total += by;
    bucket.unsent += by;
    changed.add(bucket);
    flushSoon();
  }

  return {
    consume(name, parts, window) {
      const now = services.clock.now().getTime();
      const key = parts.join('\n');
      const id = `${name}\n${key}`;
      let bucket = buckets.get(id);
      if (!bucket || !isCurrent(bucket, now)) {
        bucket = { ...window, name, key, windowAt: startOfWindow(now, window), total: 0, unsent: 0, isShared: false };
        buckets.set(id, bucket);
      }
      const counted = bucket;
      const { limit } = window;
      const allowed = counted.total + 1 <= limit;
      if (allowed) count(counted, 1);
      return {
        allowed,
        limit,
        remaining: Math.max(0, limit - counted.total),
        resetSeconds: Math.ceil((counted.windowAt + window.window - now) / 1000),
        refund: () => count(counted, -1),
      };
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
const isCurrent = (bucket: Bucket, now: number): boolean => bucket.windowAt === startOfWindow(now, bucket);

/** A limit per hour is shared from the first count on: it is small, or guards what costs money. */
const isToShare = ({ unsent, isShared, window, total, limit }: Bucket): boolean =>
  unsent !== 0 && (isShared || window === HOUR || total >= limit * SHARED_FROM);

/** Hashes what callers type: it may be a mistyped secret. */
const storedKey = ({ name, key }: Bucket): string => `${name}:${sha256(key)}`;

/** One request under a limit. `share`: the part of the limit that it may use, if not all. */
export type RateLimitUse = { name: RateLimitName; key: readonly string[]; share?: number };
type Limited = { rateLimiter: RateLimiter; config: Pick<Config, 'requestsPerMinute'> };

/** Counts one request, unless the limit is reached. */
export function consumeRateLimit({ rateLimiter, config }: Limited, { name, key, share = 1 }: RateLimitUse): Counted {
  const { limit, window }: RateLimit = RATE_LIMITS[name];
  const max = typeof limit === 'number' ? limit : limit.timesConfigured * config.requestsPerMinute;
  return rateLimiter.consume(name, key, { limit: max * share, window });
}

/**
 * Counts one attempt under each limit, or under none if one of them is reached.
 * @returns a function that uncounts an attempt that turned out not to count, where only wrong ones do
 * @throws `rate_limited`
 */
export function assertRateLimit(services: Limited, ...uses: RateLimitUse[]): () => void {
  const counted: Counted[] = [];
  const refund = () => {
    for (const one of counted) one.refund();
  };
  for (const use of uses) {
    const state = consumeRateLimit(services, use);
    const { allowed, resetSeconds } = state;
    if (!allowed) {
      refund();
      throw rateLimited(RATE_LIMITS[use.name].detail(formatWait(resetSeconds)), resetSeconds);
    }
    counted.push(state);
  }
  return refund;
}
