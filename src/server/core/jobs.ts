import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Tx } from './db.ts';

/** All jobs and their payloads; `jobs/registry.ts` runs them. */
export type Jobs = {
  resolve_appointment: { tenantId: string; appointmentId: string };
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
   * tools.
   */
  plan_visit_messages: { tenantId: string; appointmentId: string; topic: string; there: boolean };
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
  forget_expired: object;
  keep_logs: object;
  check_audit: { tenantId: string };
  check_audits: object;
  rotate_signing_keys: object;
};

/** The error of a job that has failed permanently because its process ended in every attempt. */
export const INTERRUPTED_TOO_OFTEN = 'The service ended again and again in the middle of this.';

/**
 * The flag of jobs that call the scheduling provider and may last until its timeout: one of a process's four workers
 * takes none of them. Stored with each job, so a changed value would not apply to jobs already queued.
 */
export const AT_PROVIDER = SCHEDULING_PROVIDER.id;
const CALLING_PROVIDER: (keyof Jobs)[] = [
  'resolve_appointment',
  'refresh_appointment',
  'reconcile_acuity',
  'check_acuity',
  'end_care',
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
  const [found] = await tx.$queryRaw<object[]>`
    select 1 from graphile_worker._private_jobs job
    join graphile_worker._private_tasks task on task.id = job.task_id
    where task.identifier = ${name} and job.attempts < job.max_attempts
      and job.payload::jsonb @> ${JSON.stringify(partialPayload)}::jsonb limit 1`;
  return found !== undefined;
}

/** Deletes up to `limit` permanently failed jobs that were due before the instant. @returns the number deleted */
export const purgeFailedJobs = (db: Pick<Tx, '$executeRaw'>, before: Date, limit: number): Promise<number> =>
  db.$executeRaw`
    delete from graphile_worker._private_jobs where id in (
      select id from graphile_worker._private_jobs
      where attempts >= max_attempts and locked_at is null and run_at < ${before}::timestamptz limit ${limit}::int)`;
