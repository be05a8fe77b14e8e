import { type Database, Prisma } from '#server/core/db.ts';
import type { Logger } from '#server/core/log.ts';
import { createTurns } from '#server/core/turns.ts';

/** Events per transaction. */
const BATCH = 1000;
/** Tenants numbered concurrently; the other connections are for requests. */
const CONCURRENT_TENANTS = 2;
/** Interval for finding events of a process that crashed between commit and numbering. */
const SCAN_MS = 5_000;
/** First delay while another process numbers: it finds our events too, unless it crashes. */
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 1_000;

type Dependencies = {
  database: Database;
  log: Logger;
  /** Called when events of a tenant were numbered here. */
  onNumbered: (tenantId: string) => void;
};

export type Numbering = ReturnType<typeof createNumbering>;

/**
 * Numbers events after their commit, one process per tenant at a time, without blocking writers. Events committed while
 * another process numbers are found by that process, which checks again after its commit, or here a moment later. The
 * six statements of a batch are one function: each would be a round trip under the tenant's lock.
 * @see prisma/sql/carelane_number_events.sql
 */
export function createNumbering({ database, log, onNumbered }: Dependencies) {
  const turns = createTurns({
    concurrency: CONCURRENT_TENANTS,
    run: number,
    // The interval finds them again.
    onError: (tenantId, error) => log.warn({ tenantId, err: error.message }, 'events were not numbered'),
  });
  /** The current backoff of tenants that another process is numbering. */
  const backoffs = new Map<string, { ms: number; timer: NodeJS.Timeout }>();
  let scanTimer: NodeJS.Timeout | null = null;
  let scanning: Promise<void> | null = null;
  let isClosing = false;
  let isClosed = false;

  async function number(tenantId: string): Promise<void> {
    const [row] = await database.forTenant(tenantId).$query<{ handled: number }>(Prisma.sql`
      select carelane_number_events(${BATCH}::int) as handled`);
    const { handled } = row!;
    if (handled < 0) return retryLater(tenantId);
    clearBackoff(tenantId);
    if (handled === 0) return;
    onNumbered(tenantId);
    turns.nudge(tenantId);
  }

  function retryLater(tenantId: string): void {
    if (isClosing) return;
    const ms = Math.min(MAX_RETRY_MS, 2 * (backoffs.get(tenantId)?.ms ?? FIRST_RETRY_MS / 2));
    clearTimeout(backoffs.get(tenantId)?.timer);
    backoffs.set(tenantId, { ms, timer: setTimeout(() => nudge(tenantId), ms).unref() });
  }

  function clearBackoff(tenantId: string): void {
    clearTimeout(backoffs.get(tenantId)?.timer);
    backoffs.delete(tenantId);
  }

  /** Reports that this tenant may have events without a number. */
  function nudge(tenantId: string): void {
    if (!isClosed) turns.nudge(tenantId);
  }

  async function scan(): Promise<void> {
    try {
      for (const tenantId of await database.tenantsWithUnnumbered()) nudge(tenantId);
    } catch (error) {
      log.warn({ err: (error as Error).message }, 'could not look for events without a number');
    }
  }

  return {
    nudge,
    /** Starts the interval that finds events left by other processes. */
    start(): void {
      if (isClosing) return;
      scanTimer ??= setInterval(() => {
        scanning ??= scan().finally(() => {
          scanning = null;
        });
      }, SCAN_MS).unref();
    },
    /** Resolves when all events committed here are numbered, or another process numbers them. */
    async close(): Promise<void> {
      isClosing = true;
      if (scanTimer) clearInterval(scanTimer);
      for (const tenantId of [...backoffs.keys()]) clearBackoff(tenantId);
      await scanning;
      await turns.idle();
      isClosed = true;
    },
  };
}
