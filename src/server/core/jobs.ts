import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Tx } from './db.ts';

/** The jobs there are and what each is told; `jobs/registry.ts` runs them. */
export type Jobs = {
  resolve_appointment: { tenantId: string; appointmentId: string };
  process_inbound_event: { tenantId: string; provider: string; id: string };
  /** What waits of Stripe's events about one object. */
  apply_stripe_events: { tenantId: string; objectId: string };
  /** `found`: why it is read though nobody told of a change. */
  refresh_subscription: { tenantId: string; subscriptionId: string; found?: 'comparison' };
  /** Of a patient, at Stripe. `found`: it was found to differ there. */
  update_customer: { tenantId: string; patientId: string; found?: 'comparison' };
  /** One step of comparing the clinic's account at Stripe with our copies. */
  reconcile_stripe: { tenantId: string };
  /** One appointment at the clinic's scheduling account. `found`: no webhook told of what is different about it. */
  refresh_appointment: { tenantId: string; accountId: string; providerAppointmentId: number; found?: 'comparison' };
  /** One step of comparing the clinic's scheduling account with our appointments. */
  reconcile_acuity: { tenantId: string };
  /** A look at how the clinic's scheduling account is set up, after a booking was refused for it. */
  check_acuity: { tenantId: string };
  /** Sees to it that every clinic's steps go on. */
  reconcile_all: object;
  resolve_subscription: { tenantId: string; intentId: string };
  /** `sealed`: what to send, encrypted because it carries a code, or a link's token; base64. */
  send_message: { tenantId: string; sealed: string };
  /** `sealed`: an e-mail address that somebody typed, and where. It names no tenant: whose it is, is looked up there. */
  send_staff_reset: { sealed: string };
  /** `sealed`: the e-mail address of a portal's account, to which new devices are shut. */
  tell_staff_of_closing: { sealed: string };
  /** `sealed`: which of what addresses told, and the address. It names no tenant: whose it is, is looked up there. */
  tell_of_signal: { sealed: string };
  send_mail: { tenantId: string; sealed: string };
  /** What patients are sent of a visit that something happened to. `there`: it was done at the provider, by its own ways. */
  plan_visit_messages: { tenantId: string; appointmentId: string; topic: string; there: boolean };
  /** The same of every visit to come, after the clinic has changed what it sends; those after `after`, by id. */
  plan_all_visit_messages: { tenantId: string; after?: string };
  /** What is due of it, of one clinic. */
  send_visit_messages: { tenantId: string };
  /** Of every clinic. */
  send_due_messages: object;
  /** A visit's call that nobody ends. */
  close_call: { tenantId: string; appointmentId: string };
  /** The day's visits, by mail to whoever works at one clinic and wants them. */
  send_daily_lists: { tenantId: string };
  /** Of every clinic. */
  send_due_lists: object;
  /** `tries`: how often it was tried in vain, which lengthens the pauses. */
  end_care: { tenantId: string; patientId: string; tries: number };
  forget_expired: object;
  keep_logs: object;
  check_audit: { tenantId: string };
  check_audits: object;
  rotate_signing_keys: object;
};

/** Why a job has failed for good whose process died each time. */
export const INTERRUPTED_TOO_OFTEN = 'The service ended again and again in the middle of this.';

/**
 * The flag of jobs that call the scheduling provider and may last until that times out: one of a process's four workers
 * takes none of them. Stored with each job, so another value would not count for jobs that are queued already.
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

/** A worker may take the very row between two statements, which leaves nothing to write; the next try makes a new one. */
const TRIES = 5;

/**
 * Queues a job in the caller's transaction: it exists exactly when the transaction commits. `key` makes a second call
 * replace the first while it waits; one that runs already is left alone, and the new one stands beside it. With
 * `keepEarlier` one that waits is not put off by a second.
 *
 * This writes graphile-worker's table in place of calling its `add_job`, whose NOTIFY makes all transactions of the
 * database commit one after another; `jobs/lifeline.ts` looks for what is due instead.
 */
export async function enqueue<Name extends keyof Jobs>(
  tx: Pick<Tx, '$executeRaw'>,
  name: Name,
  payload: Jobs[Name],
  options: { runAt?: Date; key?: string; maxAttempts?: number; keepEarlier?: boolean } = {},
): Promise<void> {
  const { runAt = null, key = null, maxAttempts = 25, keepEarlier = false } = options;
  for (let attempt = 0; attempt < TRIES; attempt++) {
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
    // No worker has run since this kind of job came to be.
    await tx.$executeRaw`
      insert into graphile_worker._private_tasks (identifier) values (${name}) on conflict do nothing`;
  }
  throw new Error(`the job ${name} could not be queued`);
}

/** Takes back, in the caller's transaction, the job that waits under this key; one that runs already goes on. */
export async function dequeue(tx: Pick<Tx, '$executeRaw'>, key: string): Promise<void> {
  await tx.$executeRaw`delete from graphile_worker._private_jobs where key = ${key} and locked_at is null`;
  await tx.$executeRaw`update graphile_worker._private_jobs set key = null, updated_at = now() where key = ${key}`;
}

/** Whether a job of this kind that says all of this waits or runs. Looks through what waits: for rare questions. */
export async function isWaiting<Name extends keyof Jobs>(
  tx: Pick<Tx, '$queryRaw'>,
  name: Name,
  saying: Partial<Jobs[Name]>,
): Promise<boolean> {
  const [found] = await tx.$queryRaw<object[]>`
    select 1 from graphile_worker._private_jobs job
    join graphile_worker._private_tasks task on task.id = job.task_id
    where task.identifier = ${name} and job.attempts < job.max_attempts
      and job.payload::jsonb @> ${JSON.stringify(saying)}::jsonb limit 1`;
  return found !== undefined;
}

/** Deletes jobs that failed for good before the instant, at most so many; tells how many. */
export const forgetFailed = (db: Pick<Tx, '$executeRaw'>, before: Date, limit: number): Promise<number> =>
  db.$executeRaw`
    delete from graphile_worker._private_jobs where id in (
      select id from graphile_worker._private_jobs
      where attempts >= max_attempts and locked_at is null and run_at < ${before}::timestamptz limit ${limit}::int)`;
