import type pg from 'pg';
import { INTERRUPTED_TOO_OFTEN } from '#server/core/jobs.ts';
import type { Logger } from '#server/core/log.ts';
import { lockOf } from './heartbeat.ts';

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

/** Marks jobs whose worker is gone with the time, and removes the mark when the worker is back. */
const MARK = `
  with held as materialized (
    select distinct locked_by from graphile_worker._private_jobs where locked_by <> all($1::text[])),
  -- A free lock has no live worker. Shared locks, so that concurrent sweeps do not mistake each other for workers.
  gone as materialized (select locked_by from held where pg_try_advisory_xact_lock_shared(${lockOf('locked_by')}))
  update graphile_worker._private_jobs set flags = case
    when locked_by in (select locked_by from gone) then jsonb_set(coalesce(flags, '{}'), '{abandoned}',
      jsonb_build_object('by', locked_by, 'since', extract(epoch from now())))
    else flags - 'abandoned' end
  where locked_by in (select locked_by from held) and (locked_by in (select locked_by from gone))
    is distinct from coalesce(flags->'abandoned'->>'by' = locked_by, false)`;

/** The interruption was not the job's fault, so its attempt is given back; not even a last attempt is lost. */
const FREE = `
  update graphile_worker._private_jobs as job set
    locked_at = null, locked_by = null, updated_at = now(),
    flags = jsonb_set(coalesce(flags, '{}') - 'abandoned', '{interrupted}', to_jsonb(interruptions + 1)),
    attempts = case when interruptions + 1 < ${MAX_INTERRUPTIONS} then greatest(attempts - 1, 0) else max_attempts end,
    last_error = case when interruptions + 1 < ${MAX_INTERRUPTIONS} then last_error else $3 end,
    -- As the library does after a failure; the time of the failure is derived from it.
    run_at = case when interruptions + 1 < ${MAX_INTERRUPTIONS} then run_at
      else now() + exp(least(max_attempts, 10)) * interval '1 second' end
  from (
    select id, locked_by = any($1::text[]) as ours, coalesce((flags->>'interrupted')::int, 0) as interruptions
    from graphile_worker._private_jobs
    where case when locked_by = any($1::text[]) then id = any($2::bigint[])
      else flags->'abandoned'->>'by' = locked_by
        and (flags->'abandoned'->>'since')::float8 < extract(epoch from now()) - ${ABANDONED_S} end
    for update skip locked) as nobodys
  where job.id = nobodys.id and (ours or pg_try_advisory_xact_lock_shared(${lockOf('job.locked_by')}))
  returning job.id::text, attempts >= max_attempts as failed, payload->>'tenantId' as tenant,
    (select identifier from graphile_worker._private_tasks as task where task.id = task_id) as name`;

type Freed = { id: string; failed: boolean; tenant: string | null; name: string };
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
    const { rows } = await connection.query<{ id: string; locked_by: string }>(
      'select id::text, locked_by from graphile_worker._private_jobs where locked_by = any($1::text[])',
      [ours],
    );
    const idle = rows.filter(({ id, locked_by }) => jobOf(locked_by) !== id);
    sightings = new Map(idle.map(({ id }) => [id, (sightings.get(id) ?? 0) + 1]));
    return [...sightings].filter(([, times]) => times >= SIGHTINGS).map(([id]) => id);
  }

  return async (connection) => {
    if (performance.now() - sweptAt < SWEEP_MS) return;
    sweptAt = performance.now();
    const ours = [...workers()];
    await connection.query(MARK, [ours]);
    const { rows } = await connection.query<Freed>(FREE, [
      ours,
      await findUnknownJobs(connection, ours),
      INTERRUPTED_TOO_OFTEN,
    ]);
    for (const { id, failed, name, tenant } of rows) {
      const about = { job: id, name, tenantId: tenant ?? undefined };
      if (failed) log.error({ ...about, err: INTERRUPTED_TOO_OFTEN }, 'a job has failed for good');
      else log.warn(about, 'a job lost its process and runs again');
    }
  };
}
