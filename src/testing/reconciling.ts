import type { Services } from '#server/core/context.ts';
import { updateCustomer } from '#server/customers/customer.ts';
import { reconcileStripe } from '#server/reconcile/reconcile-stripe.ts';
import { refreshSubscription } from '#server/reconcile/refresh-subscription.ts';
import { applyWaiting } from './apply-waiting.ts';

/**
 * What the worker does in one bound: a dozen steps at their times, by a clock of its own that begins where it is told, and
 * after each what it has queued. Returns the time at its end.
 */
export async function reconcileFor(
  services: Services,
  tenantId: string,
  { from, bounds = 1 }: { from: Date; bounds?: number },
): Promise<Date> {
  let now = from.getTime();
  const moved: Services = { ...services, clock: { now: () => new Date(now) } };
  const stepMs = services.config.stripe.reconcileMs / 12;
  for (let step = 0; step < 12 * bounds; step++) {
    await reconcileStripe(moved, { tenantId });
    await applyWaiting(moved, tenantId);
    await runQueued(moved, tenantId);
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
