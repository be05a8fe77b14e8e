import type { Database } from '#server/core/db.ts';
import type { Logger } from '#server/core/log.ts';

/** Events per transaction. */
const BATCH = 1000;
/** Tenants numbered concurrently; the other connections are for requests. */
const ABREAST = 2;
/** Interval for finding events of a process that crashed between commit and numbering. */
const BEAT_MS = 5_000;
/** First delay while another process numbers: it finds our events too, unless it crashes. */
const AGAIN_MS = 50;
const LATEST_AGAIN_MS = 1_000;

type Given = {
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
export function createNumbering({ database, log, onNumbered }: Given) {
  const due = new Set<string>();
  const running = new Map<string, Promise<void>>();
  /** The current backoff of tenants that another process is numbering. */
  const waits = new Map<string, { ms: number; timer: NodeJS.Timeout }>();
  let beat: NodeJS.Timeout | null = null;
  let looking: Promise<void> | null = null;
  let closing = false;
  let closed = false;

  async function number(tenantId: string): Promise<void> {
    const [row] = await database.forTenant(tenantId).$queryRaw<{ handled: number }[]>`
      select carelane_number_events(${BATCH}::int) as handled`;
    const { handled } = row!;
    if (handled < 0) return later(tenantId);
    forgetWait(tenantId);
    if (handled === 0) return;
    onNumbered(tenantId);
    due.add(tenantId);
  }

  function later(tenantId: string): void {
    if (closing) return;
    const ms = Math.min(LATEST_AGAIN_MS, 2 * (waits.get(tenantId)?.ms ?? AGAIN_MS / 2));
    clearTimeout(waits.get(tenantId)?.timer);
    waits.set(tenantId, { ms, timer: setTimeout(() => nudge(tenantId), ms).unref() });
  }

  function forgetWait(tenantId: string): void {
    clearTimeout(waits.get(tenantId)?.timer);
    waits.delete(tenantId);
  }

  function pump(): void {
    for (const tenantId of due) {
      if (running.size >= ABREAST) return;
      if (running.has(tenantId)) continue;
      due.delete(tenantId);
      const work = number(tenantId)
        // The interval finds them again.
        .catch((error: Error) => log.warn({ tenantId, err: error.message }, 'events were not numbered'))
        .finally(() => {
          running.delete(tenantId);
          pump();
        });
      running.set(tenantId, work);
    }
  }

  /** Reports that this tenant may have events without a number. */
  function nudge(tenantId: string): void {
    if (closed) return;
    due.add(tenantId);
    pump();
  }

  async function look(): Promise<void> {
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
      if (closing) return;
      beat ??= setInterval(() => {
        looking ??= look().finally(() => {
          looking = null;
        });
      }, BEAT_MS).unref();
    },
    /** Resolves when all events committed here are numbered, or another process numbers them. */
    async close(): Promise<void> {
      closing = true;
      if (beat) clearInterval(beat);
      for (const tenantId of [...waits.keys()]) forgetWait(tenantId);
      await looking;
      while (running.size > 0) await Promise.all(running.values());
      closed = true;
    },
  };
}
