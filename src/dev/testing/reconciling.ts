import { processInboundEvent } from '#jobs/registry.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import { updateCustomer } from '#server/customers/customer.ts';
import { runAcuityCheck } from '#server/integrations/check-integration.ts';
import { reconcileAcuity } from '#server/reconcile/reconcile-acuity.ts';
import { reconcileStripe } from '#server/reconcile/reconcile-stripe.ts';
import { refreshSubscription } from '#server/reconcile/refresh-subscription.ts';
import { resolveAppointment } from '#server/scheduling/booking/resolve-appointment.ts';
import { sendNoShow } from '#server/scheduling/booking/send-no-show.ts';
import { refreshAppointment } from '#server/scheduling/sync/sync-appointment.ts';
import { resolveSubscription } from '#server/subscriptions/create/intent.ts';
import { applyPendingEvents } from './apply-pending-events.ts';

/** Per bound. */
const STEPS = 12;

/**
 * Runs the steps of one reconciliation bound at their times, and after each the jobs that it queued, on a clock that
 * starts at `from`. @returns the time at its end
 */
export async function reconcileFor(
  services: Services,
  tenantId: string,
  { from, bounds = 1 }: { from: Date; bounds?: number },
): Promise<Date> {
  return inSteps(services, { from, bounds, stepMs: services.config.stripe.reconcileMs / STEPS }, async (moved) => {
    await reconcileStripe(moved, { tenantId });
    await applyPendingEvents(moved, tenantId);
    await runQueued(moved, tenantId);
  });
}

async function inSteps(
  services: Services,
  { from, bounds, stepMs }: { from: Date; bounds: number; stepMs: number },
  step: (moved: Services) => Promise<void>,
): Promise<Date> {
  let now = from.getTime();
  const moved: Services = { ...services, clock: { now: () => new Date(now) } };
  for (let done = 0; done < STEPS * bounds; done++) {
    await step(moved);
    now += stepMs;
  }
  return new Date(now);
}

type Queued = { id: string; name: string; payload: never };
const RUN = { refresh_subscription: refreshSubscription, update_customer: updateCustomer };

/** Runs queued jobs of subscriptions and customers regardless of when they are due. @returns their number */
export async function runQueued(services: Services, tenantId: string): Promise<number> {
  const db = services.database.forTenant(tenantId);
  const jobs = await db.$queryRaw<Queued[]>`
    delete from graphile_worker._private_jobs using graphile_worker._private_tasks as task
    where task.id = task_id and task.identifier in ('refresh_subscription', 'update_customer')
      and payload->>'tenantId' = ${tenantId}
    returning _private_jobs.id::text, task.identifier as name, payload`;
  for (const { name, payload } of jobs) await RUN[name as keyof typeof RUN](services, payload);
  return jobs.length;
}

const REFRESH_JOBS = ['resolve_appointment', 'refresh_appointment', 'send_no_show'] as const;
const OF_ACUITY = [...REFRESH_JOBS, 'process_inbound_event', 'check_acuity'] as const;
const RUN_AS_WORKER = {
  resolve_appointment: resolveAppointment,
  refresh_appointment: refreshAppointment,
  send_no_show: sendNoShow,
  process_inbound_event: processInboundEvent,
  check_acuity: runAcuityCheck,
  resolve_subscription: resolveSubscription,
};
type WorkerJob = keyof typeof RUN_AS_WORKER;

/**
 * Runs the queued jobs of these kinds once, in order of their times, as the worker does: a job is locked while it runs,
 * and a failed one waits longer each time until its attempts are used up. `by` limits it to jobs that are due by then.
 */
export async function runJobs(
  services: Services,
  tenantId: string,
  names: readonly WorkerJob[],
  by: Date | null = null,
): Promise<void> {
  const { system } = services.database;
  const jobs = await system.$queryRaw<{ id: string; name: WorkerJob; payload: never }[]>`
    select job.id::text, task.identifier as name, payload from graphile_worker._private_jobs job
    join graphile_worker._private_tasks task on task.id = task_id
    where task.identifier = any(${names}) and payload->>'tenantId' = ${tenantId} and is_available
      and (${by}::timestamptz is null or run_at <= ${by}::timestamptz)
    order by run_at, job.id`;
  for (const { id, name, payload } of jobs) {
    const locked = await system.$executeRaw`
      update graphile_worker._private_jobs set locked_at = now(), locked_by = 'a test', attempts = attempts + 1
      where id = ${id}::bigint and is_available`;
    if (locked === 0) continue;
    const error = await RUN_AS_WORKER[name](services, payload).then(
      () => null,
      (thrown: Error) => thrown,
    );
    if (error)
      await system.$executeRaw`
        update graphile_worker._private_jobs set locked_at = null, locked_by = null, last_error = ${error.message},
          run_at = ${services.clock.now()}::timestamptz + exp(least(attempts, 10)) * interval '1 second'
        where id = ${id}::bigint`;
    else await system.$executeRaw`delete from graphile_worker._private_jobs where id = ${id}::bigint`;
  }
}

/** Releases the jobs that a dead process had locked. */
const freeJobs = ({ database: { system } }: Services, tenantId: string): Promise<number> =>
  system.$executeRaw`
    update graphile_worker._private_jobs set locked_at = null, locked_by = null, attempts = greatest(attempts - 1, 0)
    where locked_at is not null and payload->>'tenantId' = ${tenantId}`;

/**
 * Runs the worker's appointment jobs up to two minutes later, and then one reconciliation bound. @returns the time at
 * its end
 */
export async function reconcileAcuityFor(services: Services, tenantId: string, from: Date): Promise<Date> {
  const later = new Date(Math.max(Date.now(), from.getTime()) + 2 * MINUTE);
  await freeJobs(services, tenantId);
  await runJobs({ ...services, clock: { now: () => later } }, tenantId, OF_ACUITY);
  return compareFor(services, tenantId, { from: later, jobs: OF_ACUITY });
}

/**
 * Runs the steps of one Acuity reconciliation bound, and after each the jobs that it queued. @returns the time at its
 * end
 */
export async function compareFor(
  services: Services,
  tenantId: string,
  { from, bounds = 1, jobs = REFRESH_JOBS }: { from: Date; bounds?: number; jobs?: readonly WorkerJob[] },
): Promise<Date> {
  return inSteps(services, { from, bounds, stepMs: services.config.scheduling.reconcileMs / STEPS }, async (moved) => {
    await reconcileAcuity(moved, { tenantId });
    await runJobs(moved, tenantId, jobs, moved.clock.now());
  });
}
