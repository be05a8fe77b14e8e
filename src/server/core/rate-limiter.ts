import { type Clock, HOUR, MINUTE } from './clock.ts';
import type { Config } from './config.ts';
import { sha256 } from './crypto.ts';
import type { Database } from './db.ts';
import { formatWait, rateLimited } from './errors.ts';
import type { Logger } from './log.ts';
import { RATE_LIMITS, type RateLimit, type RateLimitName } from './rate-limits.ts';

const FLUSH_MS = 500;

export type RateLimitState = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };
type Limit = { limit: number; window: RateLimit['window'] };
/** A counted request. */
type Counted = RateLimitState & {
  /** Subtracts a request that turned out not to count, such as a sign-in with the right password. */
  uncount(): void;
};
export type RateLimiter = {
  /**
   * Counts one request, unless the limit is reached. Decides at once by this process's knowledge; the counts of others
   * arrive within half a second. `share`: the part of the limit that the request may use, if not all.
   */
  consume(name: string, key: readonly string[], limit: Limit, share?: number): Counted;
  /** Exchanges the remaining counts; later ones stay in this process. */
  close(): Promise<void>;
};

type Dependencies = { database: Pick<Database, 'system'>; clock: Clock; log: Logger };
type Bucket = Limit & {
  /** Hashed: it holds what callers type, such as a mistyped secret, and the tokens of links. */
  key: string;
  windowAt: number;
  /** The known count of all processes. */
  total: number;
  /** The count of this process that the others do not know yet. */
  unsent: number;
  /** The count of this process that was exchanged; null until the first exchange. */
  sent: number | null;
  /** Whether a request was rejected since the last exchange: others may have uncounted theirs. */
  hasRejected: boolean;
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
    const exchanged = [...changed]
      .filter((bucket) => isCurrent(bucket, now) && isToShare(bucket))
      .map((bucket) => ({ bucket, count: bucket.unsent }))
      // The same lock order in all processes.
      .sort((a, b) => (a.bucket.key < b.bucket.key ? -1 : 1));
    changed.clear();
    if (exchanged.length === 0) return;
    try {
      const rows = await services.database.system.$queryRaw<{ key: string; count: number }[]>`
        insert into rate_limit_counts (key, window_at, count)
        select * from unnest(${exchanged.map(({ bucket }) => bucket.key)}::text[],
          ${exchanged.map(({ bucket }) => new Date(bucket.windowAt))}::timestamptz[],
          ${exchanged.map(({ count }) => count)}::int[])
        on conflict (key, window_at) do update set count = rate_limit_counts.count + excluded.count
        returning key, count`;
      const totals = new Map(rows.map((row) => [row.key, row.count]));
      for (const { bucket, count } of exchanged) {
        bucket.unsent -= count;
        bucket.sent = (bucket.sent ?? 0) + count;
        bucket.hasRejected = false;
        // The table is empty after a crash of PostgreSQL.
        bucket.total = Math.max(totals.get(bucket.key) ?? 0, bucket.sent) + bucket.unsent;
      }
      if (Math.random() < 0.01)
        await services.database.system.rateLimitCount.deleteMany({
          where: { windowAt: { lt: new Date(now - 2 * HOUR) } },
        });
    } catch (error) {
      services.log.warn({ err: (error as Error).message }, 'rate limits could not be shared');
      for (const { bucket } of exchanged) touch(bucket);
    }
  }

  function sweep(now: number) {
    if (now - sweptAt < MINUTE) return;
    sweptAt = now;
    for (const [key, bucket] of buckets) if (!isCurrent(bucket, now)) buckets.delete(key);
  }

  function flushSoon() {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = null;
      // Flushes run one after another: counts in transit must not be sent twice.
      running = running.then(flush);
    }, FLUSH_MS).unref();
  }

  function touch(bucket: Bucket) {
    changed.add(bucket);
    flushSoon();
  }

  function count(bucket: Bucket, by: 1 | -1) {
    bucket.total += by;
    bucket.unsent += by;
    touch(bucket);
  }

  return {
    consume(name, parts, { limit, window }, share = 1) {
      const now = services.clock.now().getTime();
      const key = `${name}:${sha256(parts.join('\n'))}`;
      const known = buckets.get(key);
      const windowAt = startOfWindow(now, window);
      const bucket =
        known?.windowAt === windowAt
          ? known
          : { key, limit, window, windowAt, total: 0, unsent: 0, sent: null, hasRejected: false };
      buckets.set(key, bucket);
      const allowed = bucket.total + 1 <= limit * share;
      if (allowed) count(bucket, 1);
      else {
        bucket.hasRejected = true;
        touch(bucket);
      }
      let isCounted = allowed;
      return {
        allowed,
        limit,
        remaining: Math.max(0, limit - bucket.total),
        resetSeconds: Math.ceil((windowAt + window - now) / 1000),
        uncount() {
          if (isCounted) count(bucket, -1);
          isCounted = false;
        },
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

const startOfWindow = (now: number, window: number): number => now - (now % window);
const isCurrent = ({ windowAt, window }: Bucket, now: number): boolean => windowAt === startOfWindow(now, window);

/** A limit per hour is shared from the first count on: it is small, or guards what costs money. */
const isToShare = ({ unsent, sent, hasRejected, window, total, limit }: Bucket): boolean =>
  sent !== null ? unsent !== 0 || hasRejected : unsent !== 0 && (window === HOUR || total >= limit * SHARED_FROM);

/** One request under a limit. `share`: the part of the limit that it may use, if not all. */
export type RateLimitUse = { name: RateLimitName; key: readonly string[]; share?: number };
type Limited = { rateLimiter: RateLimiter; config: Pick<Config, 'requestsPerMinute'> };

/** Counts one request, unless the limit is reached. */
export function consumeRateLimit({ rateLimiter, config }: Limited, { name, key, share }: RateLimitUse): Counted {
  const { limit, window }: RateLimit = RATE_LIMITS[name];
  const max = typeof limit === 'number' ? limit : limit.timesConfigured * config.requestsPerMinute;
  return rateLimiter.consume(name, key, { limit: max, window }, share);
}

/**
 * Counts one attempt under each limit, or under none if one of them is reached.
 * @returns a function that uncounts an attempt that turned out not to count, where only wrong ones do
 * @throws `rate_limited`
 */
export function assertRateLimit(services: Limited, ...uses: RateLimitUse[]): () => void {
  const counted: Counted[] = [];
  const uncount = () => {
    for (const one of counted) one.uncount();
  };
  for (const use of uses) {
    const state = consumeRateLimit(services, use);
    const { allowed, resetSeconds } = state;
    if (!allowed) {
      uncount();
      throw rateLimited(RATE_LIMITS[use.name].detail(formatWait(resetSeconds)), resetSeconds);
    }
    counted.push(state);
  }
  return uncount;
}
