import { type Clock, HOUR, MINUTE } from './clock.ts';
import type { Database } from './db.ts';
import type { Logger } from './log.ts';

const FLUSH_MS = 500;

export type RateLimitState = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };
export type RateLimiter = {
  /** Counts one request. Decides at once on what this process knows; the others' counts arrive within half a second. */
  take(key: string, limit: number): RateLimitState;
  /** Takes one request back that turned out not to count, such as a sign-in with the right password. */
  giveBack(key: string): void;
  /** Exchanges what is left; nothing is told to the others afterwards. */
  close(): Promise<void>;
};

type Needs = { database: Pick<Database, 'system'>; clock: Clock; log: Logger };
type Bucket = {
  windowAt: number;
  limit: number;
  /** What is known of all processes. */
  total: number;
  /** Of this process, not told to the others yet. */
  unsent: number;
};

/** Below it a process keeps its counts to itself: most keys never come near their limit, and cost the database nothing. */
const SHARED_FROM = 1 / 4;

/**
 * Fixed windows (of a minute, unless told of an hour), shared by all processes. Counts are added up locally and
 * exchanged through one statement twice a second, so that a limit costs a request nothing; the price is an overshoot: half
 * a second's worth, and what each process may keep to itself. What could not be exchanged is tried again with the next.
 */
export function createRateLimiter(services: Needs, window: typeof MINUTE | typeof HOUR = MINUTE): RateLimiter {
  const buckets = new Map<string, Bucket>();
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let closed = false;

  async function flush() {
    const now = services.clock.now().getTime();
    const windowAt = now - (now % window);
    const dirty: [string, Bucket][] = [];
    for (const [key, bucket] of buckets) {
      if (bucket.windowAt !== windowAt) buckets.delete(key);
      else if (bucket.unsent !== 0 && bucket.total >= bucket.limit * SHARED_FROM) dirty.push([key, bucket]);
    }
    if (dirty.length === 0) return;
    const sent = dirty.map(([key, bucket]) => ({ key, bucket, count: bucket.unsent }));
    sent.sort((a, b) => (a.key < b.key ? -1 : 1)); // one order of locking for all processes
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
      // One after the other: what is on its way must not be sent twice.
      running = running.then(flush);
    }, FLUSH_MS).unref();
  }

  return {
    take(key, limit) {
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
    giveBack(key) {
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

/** All that is counted in a process: requests and tries by the minute, what is spent by the hour. */
export type Limits = { minute: RateLimiter; hour: RateLimiter };

export const createLimits = (services: Needs): Limits => ({
  minute: createRateLimiter(services),
  hour: createRateLimiter(services, HOUR),
});
