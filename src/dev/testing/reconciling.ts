import type { Services } from '#server/core/context.ts';
import { updateCustomer } from '#server/customers/customer.ts';
import { reconcileAcuity } from '#server/reconcile/reconcile-acuity.ts';
import { reconcileStripe } from '#server/reconcile/reconcile-stripe.ts';
import { refreshSubscription } from '#server/reconcile/refresh-subscription.ts';
import { refreshAppointment } from '#server/scheduling/acuity-sync/refresh-appointment.ts';
import { resolveAppointment } from '#server/scheduling/booking/resolve-appointment.ts';
import { applyWaiting } from './apply-waiting.ts';

/** In a bound. */
const STEPS = 12;

/**
 * What the worker does in one bound: a dozen steps at their times, by a clock of its own that begins where it is told, and
 * after each what it has queued. Returns the time at its end.
 */
export async function reconcileFor(
  services: Services,
  tenantId: string,
  { from, bounds = 1 }: { from: Date; bounds?: number },
): Promise<Date> {
  return inSteps(services, { from, bounds, stepMs: services.config.stripe.reconcileMs / STEPS }, async (moved) => {
    await reconcileStripe(moved, { tenantId });
    await applyWaiting(moved, tenantId);
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

/** Runs what is queued for subscriptions and customers, whenever it is due; tells how many there were. */
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

/** The same of Acuity: a bound's steps, and after each the looks that it has queued. Returns the time at its end. */
export async function compareFor(
  services: Services,
  tenantId: string,
  { from, bounds = 1 }: { from: Date; bounds?: number },
): Promise<Date> {
  return inSteps(services, { from, bounds, stepMs: services.config.acuity.reconcileMs / STEPS }, async (moved) => {
    await reconcileAcuity(moved, { tenantId });
    await runLooks(moved, tenantId);
  });
}

const LOOKS = { refresh_appointment: refreshAppointment, resolve_appointment: resolveAppointment };

/** Looks at what is queued of appointments and due; what Acuity keeps from being looked at stays queued. */
async function runLooks(services: Services, tenantId: string): Promise<void> {
  const db = services.database.forTenant(tenantId);
  const jobs = await db.$queryRaw<(Queued & { revision: number })[]>`
    select job.id::text, task.identifier as name, payload, revision from graphile_worker._private_jobs job
    join graphile_worker._private_tasks task on task.id = task_id
    where task.identifier in ('refresh_appointment', 'resolve_appointment') and payload->>'tenantId' = ${tenantId}
      and attempts < max_attempts and run_at <= ${services.clock.now()}::timestamptz`;
  for (const { id, name, payload, revision } of jobs) {
    const failed = await LOOKS[name as keyof typeof LOOKS](services, payload).catch((error: Error) => error);
    // One that has queued itself again stays.
    if (!failed)
      await db.$executeRaw`
        delete from graphile_worker._private_jobs where id = ${id}::bigint and revision = ${revision}`;
  }
}
