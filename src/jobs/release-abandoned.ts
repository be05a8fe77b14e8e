import type pg from 'pg';
import { freeAbandonedJobs, INTERRUPTED_TOO_OFTEN, listLockedJobs, markAbandonedJobs } from '#server/core/jobs.ts';
import type { Logger } from '#server/core/log.ts';

const SWEEP_MS = 1_000;
/**
 * How long a job must be without a live worker before it is free: a process that only lost its connection has
 * reconnected by then, or has ended itself (`LEASE_MS` in `heartbeat.ts`). Measured by the database, so that it
 * continues across process deaths.
 */
const ABANDONED_S = 14;
const SIGHTINGS = (ABANDONED_S * 1000) / SWEEP_MS;
/** A job that was interrupted this often may be the cause of the crashes. */
const MAX_INTERRUPTIONS = 10;

type Sweep = { log: Logger; workers: () => Iterable<string>; jobOf: (workerId: string) => string | undefined };

/**
 * Returns abandoned jobs to the queue: their process was killed, or their worker in this process never received them.
 * Runs in every process once a second, on the heartbeat connection.
 */
export function createSweep({ log, workers, jobOf }: Sweep): (connection: pg.Client) => Promise<void> {
  let sightings = new Map<string, number>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  /** Jobs locked by this process's workers that those have not run for long. */
  async function findUnknownJobs(connection: pg.Client, ours: string[]): Promise<string[]> {
    const idle = (await listLockedJobs(connection, ours)).filter(({ id, locked_by }) => jobOf(locked_by) !== id);
    sightings = new Map(idle.map(({ id }) => [id, (sightings.get(id) ?? 0) + 1]));
    return [...sightings].filter(([, times]) => times >= SIGHTINGS).map(([id]) => id);
  }

  return async (connection) => {
    if (performance.now() - sweptAt < SWEEP_MS) return;
    sweptAt = performance.now();
    const ours = [...workers()];
    await markAbandonedJobs(connection, ours);
    const freed = await freeAbandonedJobs(connection, {
      workers: ours,
      ids: await findUnknownJobs(connection, ours),
      markedForS: ABANDONED_S,
      maxInterruptions: MAX_INTERRUPTIONS,
    });
    for (const { id, failed, name, tenant } of freed) {
      const about = { job: id, name, tenantId: tenant ?? undefined };
      if (failed) log.error({ ...about, err: INTERRUPTED_TOO_OFTEN }, 'a job has failed for good');
      else log.warn(about, 'a job lost its process and runs again');
    }
  };
}
