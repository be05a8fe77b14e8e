// The only file that uses graphile-worker's private tables. `jobs.db.test.ts` fails when a version changes them.
import type pg from 'pg';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { Prisma, type Tx } from './db.ts';

/** All jobs and their payloads; `jobs/registry.ts` runs them. */
export type Jobs = {
  resolve_appointment: { tenantId: string; appointmentId: string };
  /** Sends a no-show to the provider when it cannot be undone any more. */
  send_no_show: { tenantId: string; appointmentId: string };
  process_inbound_event: { tenantId: string; provider: string; id: string };
  /** Applies the waiting Stripe events of one object. */
  apply_stripe_events: { tenantId: string; objectId: string };
  /** `found`: the reason for a read without a webhook. */
  refresh_subscription: { tenantId: string; subscriptionId: string; found?: 'comparison' };
  /** Updates the patient's customer at Stripe. `found`: reconciliation found a difference. */
  update_customer: { tenantId: string; patientId: string; found?: 'comparison' };
  /** One step of comparing the clinic's Stripe account with the copies here. */
  reconcile_stripe: { tenantId: string };
  /** One appointment at the clinic's scheduling account. `found`: no webhook reported the difference. */
  refresh_appointment: { tenantId: string; accountId: string; providerAppointmentId: number; found?: 'comparison' };
  /** One step of comparing the clinic's scheduling account with the appointments here. */
  reconcile_acuity: { tenantId: string };
  /** Checks the setup of the clinic's scheduling account after the provider rejected a booking because of it. */
  check_acuity: { tenantId: string };
  /** Ensures that every clinic's reconciliation continues. */
  reconcile_all: object;
  resolve_subscription: { tenantId: string; intentId: string };
  /** `sealed`: the message, encrypted because it holds a code or a link's token; base64. */
  send_message: { tenantId: string; sealed: string };
  /** `sealed`: an email address that was typed, and where. It names no tenant; the job looks up the address. */
  send_staff_reset: { sealed: string };
  /** `sealed`: the email address of a portal account that is locked for new devices. */
  tell_staff_of_closing: { sealed: string };
  /** `sealed`: the id of the signal and the address. It names no tenant; the job looks up the address. */
  tell_of_signal: { sealed: string };
  send_mail: { tenantId: string; sealed: string };
  /**
   * Plans a patient's messages after a change of an appointment. `there`: the change was made in the provider's own
   * tools. `undoable`: staff made it and can undo it for some seconds.
   */
  plan_visit_messages: { tenantId: string; appointmentId: string; topic: string; there: boolean; undoable?: boolean };
  /**
   * Plans the messages of all future appointments after the clinic changed its settings, starting after the id `after`.
   */
  plan_all_visit_messages: { tenantId: string; after?: string };
  /** Sends one clinic's due messages. */
  send_visit_messages: { tenantId: string };
  /** Queues `send_visit_messages` for every clinic. */
  send_due_messages: object;
  /** Ends a video call that no participant ended. */
  close_call: { tenantId: string; appointmentId: string };
  /** Emails the day's appointments to the staff of one clinic who want them. */
  send_daily_lists: { tenantId: string };
  /** Queues `send_daily_lists` for every clinic. */
  send_due_lists: object;
  /** `tries`: the number of failed attempts, which lengthens the delay. */
  end_care: { tenantId: string; patientId: string; tries: number };
  /** Writes a patient's name and contact data to their upcoming appointments at the provider. */
  update_clients: { tenantId: string; patientId: string };
  /** Moves what a concurrent request stored for a record that was merged into another. */
  move_late_rows: { tenantId: string; patientId: string };
  forget_expired: object;
  keep_logs: object;
  check_audit: { tenantId: string };
  check_audits: object;
  rotate_signing_keys: object;
};

/** The error of a job that has failed permanently because its process ended in every attempt. */
export const INTERRUPTED_TOO_OFTEN = 'The service stopped several times while doing this.';

/**
 * The flag of jobs that call the scheduling provider and may last until its timeout: one of a process's four workers
 * takes none of them. Stored with each job, so a changed value would not apply to jobs already queued.
 */
export const AT_PROVIDER = SCHEDULING_PROVIDER.id;
const CALLING_PROVIDER: (keyof Jobs)[] = [
  'resolve_appointment',
  'send_no_show',
  'refresh_appointment',
  'reconcile_acuity',
  'check_acuity',
  'end_care',
  'update_clients',
];
const flagsOf = (name: keyof Jobs, payload: object): string | null => {
  const isCalling =
    CALLING_PROVIDER.includes(name) || ('provider' in payload && payload.provider === SCHEDULING_PROVIDER.id);
  return isCalling ? JSON.stringify({ [AT_PROVIDER]: true }) : null;
};

/**
 * A worker may take the row between the two statements, so that nothing is written; the next attempt inserts a new one.
 */
const ATTEMPTS = 5;

/**
 * Queues a job in the caller's transaction. A second call with the same `key` replaces a waiting job; a running one is
 * left alone and the new job is added next to it. With `keepEarlier`, a second call does not delay a waiting job.
 *
 * Writes graphile-worker's table directly: the NOTIFY in its `add_job` would make all transactions of the database
 * commit one after another. `jobs/heartbeat.ts` polls for due jobs instead.
 */
export async function enqueue<Name extends keyof Jobs>(
  tx: Pick<Tx, '$executeRaw'>,
  name: Name,
  payload: Jobs[Name],
  options: { runAt?: Date; key?: string; maxAttempts?: number; keepEarlier?: boolean } = {},
): Promise<void> {
  const { runAt = null, key = null, maxAttempts = 25, keepEarlier = false } = options;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (key !== null)
      await tx.$executeRaw`
        update graphile_worker._private_jobs set key = null, updated_at = now()
        where key = ${key} and locked_at is not null`;
    const written = await tx.$executeRaw`
      insert into graphile_worker._private_jobs as job (task_id, payload, run_at, max_attempts, key, flags)
      select id, ${JSON.stringify(payload)}::json, coalesce(${runAt}::timestamptz, now()), ${maxAttempts}::smallint,
        ${key}::text, ${flagsOf(name, payload)}::jsonb
      from graphile_worker._private_tasks where identifier = ${name}
      on conflict (key) do update set
        task_id = excluded.task_id, payload = excluded.payload,
        run_at = case when ${keepEarlier} then least(job.run_at, excluded.run_at) else excluded.run_at end,
        max_attempts = excluded.max_attempts, attempts = 0, last_error = null, flags = excluded.flags,
        revision = job.revision + 1, updated_at = now()
      where job.locked_at is null`;
    if (written > 0) return;
    // No worker has run since this kind of job was added.
    await tx.$executeRaw`
      insert into graphile_worker._private_tasks (identifier) values (${name}) on conflict do nothing`;
  }
  throw new Error(`the job ${name} could not be queued`);
}

/** Removes the waiting job with this key in the caller's transaction; a running job continues. */
export async function dequeue(tx: Pick<Tx, '$executeRaw'>, key: string): Promise<void> {
  await tx.$executeRaw`delete from graphile_worker._private_jobs where key = ${key} and locked_at is null`;
  await tx.$executeRaw`update graphile_worker._private_jobs set key = null, updated_at = now() where key = ${key}`;
}

/** Returns whether a job with this partial payload waits or runs. Scans all waiting jobs: only for rare use. */
export async function isJobQueued<Name extends keyof Jobs>(
  tx: Pick<Tx, '$queryRaw'>,
  name: Name,
  partialPayload: Partial<Jobs[Name]>,
): Promise<boolean> {
  const [row] = await tx.$queryRaw<object[]>`
    select 1 from graphile_worker._private_jobs job
    join graphile_worker._private_tasks task on task.id = job.task_id
    where task.identifier = ${name} and job.attempts < job.max_attempts
      and job.payload::jsonb @> ${JSON.stringify(partialPayload)}::jsonb limit 1`;
  return row !== undefined;
}

/** Deletes up to `limit` permanently failed jobs that were due before the instant. @returns the number deleted */
export const purgeFailedJobs = (db: Pick<Tx, '$executeRaw'>, before: Date, limit: number): Promise<number> =>
  db.$executeRaw`
    delete from graphile_worker._private_jobs where id in (
      select id from graphile_worker._private_jobs
      where attempts >= max_attempts and locked_at is null and run_at < ${before}::timestamptz limit ${limit}::int)`;

/** Returns whether the keyed job waits without this field in its payload. */
export async function isJobWaitingWithout(db: Pick<Tx, '$queryRaw'>, key: string, field: string): Promise<boolean> {
  const rows = await db.$queryRaw<object[]>`
    select 1 from graphile_worker._private_jobs
    where key = ${key} and payload->>${field}::text is null
      and locked_at is null and attempts < max_attempts`;
  return rows.length > 0;
}

/** Returns whether the clinic's job waits or runs. A running one may have lost its key to its successor. */
export async function isKeyedJobQueued(
  db: Pick<Tx, '$queryRaw'>,
  { name, tenantId, key }: { name: keyof Jobs; tenantId: string; key: string },
): Promise<boolean> {
  const rows = await db.$queryRaw<object[]>`
    select 1 from graphile_worker._private_jobs
    where (key = ${key} and (attempts < max_attempts or locked_at is not null))
      or (payload->>'tenantId' = ${tenantId} and locked_at is not null and task_id = (
        select id from graphile_worker._private_tasks where identifier = ${name}))`;
  return rows.length > 0;
}

/**
 * The queue serves all tenants and has no row-level security, so the condition uses the connection's tenant: without
 * one the query fails. Jobs without a tenant belong to the deployment and appear in its log only.
 */
const OWN_FAILED = Prisma.sql`payload->>'tenantId' = current_setting('app.tenant_id')::uuid::text
  and attempts >= max_attempts and locked_at is null`;

export type FailedJob = {
  id: string;
  name: string;
  provider: string | null;
  attempts: number;
  last_error: string | null;
  created_at: Date;
  failed_at: Date;
  /** The number of all failed jobs. */
  total: number;
};

/** Lists the permanently failed jobs of the connection's tenant, newest first. */
export const listFailedJobRows = (db: Pick<Tx, '$queryRaw'>, limit: number): Promise<FailedJob[]> =>
  // The queue stores no time of failure, but sets the next run e^attempts seconds after it, although none follows.
  db.$queryRaw<FailedJob[]>`
    select job.id::text, task.identifier as name, payload->>'provider' as provider, attempts, last_error, created_at,
      run_at - exp(least(attempts, 10)) * interval '1 second' as failed_at, (count(*) over ())::int as total
    from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = task_id
    where ${OWN_FAILED} order by run_at desc, job.id desc limit ${limit}`;

/** Queues a failed job of the connection's tenant again with all its attempts. @returns whether there was one */
export const requeueFailedJob = async (tx: Pick<Tx, '$executeRaw'>, id: string): Promise<boolean> =>
  (await tx.$executeRaw`
    update graphile_worker._private_jobs
    set attempts = 0, last_error = null, flags = flags - 'abandoned' - 'interrupted', run_at = now(), updated_at = now()
    where id = ${id}::bigint and ${OWN_FAILED}`) > 0;

/** Counts the due jobs up to a limit. */
export async function countDueJobs(connection: pg.Client, limit: number): Promise<number> {
  const { rowCount } = await connection.query({
    name: 'due',
    text: 'select from graphile_worker._private_jobs where is_available and run_at <= now() limit $1',
    values: [limit],
  });
  return rowCount ?? 0;
}

/** The advisory lock that proves a worker alive; `expression` gives its id. */
export const lockOf = (expression: string): string => `hashtextextended('carelane worker ' || ${expression}, 0)`;

/** Returns the ids of the jobs that no longer belong to the worker that runs them. */
export async function listTakenJobs(
  connection: pg.Client,
  running: { id: string; worker: string }[],
): Promise<string[]> {
  const { rows } = await connection.query<{ id: string }>(
    `select id from unnest($1::bigint[], $2::text[]) as ours (id, worker)
     join graphile_worker._private_jobs using (id) where locked_by is distinct from worker`,
    [running.map(({ id }) => id), running.map(({ worker }) => worker)],
  );
  return rows.map(({ id }) => id);
}

export async function listLockedJobs(
  connection: pg.Client,
  workers: string[],
): Promise<{ id: string; locked_by: string }[]> {
  const { rows } = await connection.query<{ id: string; locked_by: string }>(
    'select id::text, locked_by from graphile_worker._private_jobs where locked_by = any($1::text[])',
    [workers],
  );
  return rows;
}

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
export const markAbandonedJobs = async (connection: pg.Client, workers: string[]): Promise<void> =>
  void (await connection.query(MARK, [workers]));

/** Removes the mark of a missing worker after it has its lock again. */
export const unmarkAbandonedJobs = async (connection: pg.Client, workers: string[]): Promise<void> =>
  void (await connection.query(
    `update graphile_worker._private_jobs set flags = flags - 'abandoned'
     where locked_by = any($1::text[]) and flags ? 'abandoned'`,
    [workers],
  ));

/** The interruption was not the job's fault, so its attempt is given back; not even a last attempt is lost. */
const FREE = `
  update graphile_worker._private_jobs as job set
    locked_at = null, locked_by = null, updated_at = now(),
    flags = jsonb_set(coalesce(flags, '{}') - 'abandoned', '{interrupted}', to_jsonb(interruptions + 1)),
    attempts = case when interruptions + 1 < $4::int then greatest(attempts - 1, 0) else max_attempts end,
    last_error = case when interruptions + 1 < $4::int then last_error else $5::text end,
    -- As the library does after a failure; the time of the failure is derived from it.
    run_at = case when interruptions + 1 < $4::int then run_at
      else now() + exp(least(max_attempts, 10)) * interval '1 second' end
  from (
    select id, locked_by = any($1::text[]) as ours, coalesce((flags->>'interrupted')::int, 0) as interruptions
    from graphile_worker._private_jobs
    where case when locked_by = any($1::text[]) then id = any($2::bigint[])
      else flags->'abandoned'->>'by' = locked_by
        and (flags->'abandoned'->>'since')::float8 < extract(epoch from now()) - $3::float8 end
    for update skip locked) as abandoned
  where job.id = abandoned.id and (ours or pg_try_advisory_xact_lock_shared(${lockOf('job.locked_by')}))
  returning job.id::text, attempts >= max_attempts as failed, payload->>'tenantId' as tenant,
    (select identifier from graphile_worker._private_tasks as task where task.id = task_id) as name`;

type Abandoned = {
  /** The workers of this process, and the ids of their jobs that are to be freed. */
  workers: string[];
  ids: string[];
  /** Seconds since the mark after which a job of another process is freed. */
  markedForS: number;
  /** The number of interruptions after which the job has failed. */
  maxInterruptions: number;
};
type FreedJob = { id: string; failed: boolean; tenant: string | null; name: string };

/** Returns abandoned jobs to the queue, or lets them fail after too many interruptions. */
export async function freeAbandonedJobs(
  connection: pg.Client,
  { workers, ids, markedForS, maxInterruptions }: Abandoned,
): Promise<FreedJob[]> {
  const values = [workers, ids, markedForS, maxInterruptions, INTERRUPTED_TOO_OFTEN];
  return (await connection.query<FreedJob>(FREE, values)).rows;
}
