import type { Appointment } from '#generated/prisma/client.ts';
import { SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { findSchedulingAccount, type SchedulingAccount } from '#server/integrations/index.ts';
import { endPendingChange, queueResolve, resolveKey } from '../appointments/appointment.ts';
import { findAtProvider, isOfFormerAccount, syncKnownAppointment } from '../sync/apply-provider-state.ts';
import { queueOverdueNoShows } from './send-no-show.ts';

/** A provider call older than this has ended at the provider too, successfully or not. */
const SETTLED_AFTER_MS = 45 * SECOND;

/**
 * Resolves a booking, reschedule or cancellation whose outcome is unknown: completes it when the provider has it, or
 * gives it up and releases its claim. Idempotent; throws when the provider is unreachable, so that the job runs again.
 * While no account is connected it waits, at most until the appointment is over.
 */
export async function resolveAppointment(services: Services, payload: Jobs['resolve_appointment']): Promise<void> {
  const ctx = systemContext(services, payload.tenantId, 'resolve_appointment');
  const { tenantId } = ctx;
  const row = await ctx.db.appointment.findFirst({ where: { tenantId, id: payload.appointmentId } });
  // Resolved in the meantime: no provider call is needed.
  if (!row || (row.status !== 'pending' && !row.pendingChange)) return;
  if (ctx.clock.now().getTime() - row.updatedAt.getTime() < SETTLED_AFTER_MS) return queueResolve(ctx.db, ctx, row.id);
  const account = await findSchedulingAccount(ctx);
  if (!account && row.endAt > ctx.clock.now()) return resolveAt(ctx, row.id, row.endAt);
  // An account that was replaced by another is not called any more.
  if (!account || isOfFormerAccount(row, account))
    return endPendingChange(ctx, row, row.status === 'pending' ? 'failed' : row.status);
  await (row.status === 'pending' ? resolveBooking(ctx, account, row) : resolveChange(ctx, account, row));
}

/**
 * Queues a job for each unknown outcome, and for each overdue no-show, to run now, for when the provider may be
 * reachable again: the pauses between a job's own attempts grow to hours, until it has failed permanently.
 */
export async function resolveUnknownOutcomes(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  const settled = new Date(now.getTime() - SETTLED_AFTER_MS);
  const rows = await ctx.db.$queryRaw<{ id: string }[]>`
    select id from appointments
    where tenant_id = ${ctx.tenantId}::uuid and (status = 'pending' or pending_change is not null)
      and updated_at < ${settled}::timestamptz`;
  for (const { id } of rows) await resolveAt(ctx, id, now);
  await queueOverdueNoShows(ctx);
}

const resolveAt = ({ db, tenantId }: Context, appointmentId: string, runAt: Date): Promise<void> =>
  enqueue(db, 'resolve_appointment', { tenantId, appointmentId }, { runAt, key: resolveKey(appointmentId) });

async function resolveBooking(ctx: Context, account: SchedulingAccount, row: Appointment): Promise<void> {
  const remote = await findAtProvider(ctx, account.provider, row);
  if (remote) await syncKnownAppointment(ctx, account, remote.id);
  else await endPendingChange(ctx, row, 'failed');
}

async function resolveChange(ctx: Context, account: SchedulingAccount, row: Appointment): Promise<void> {
  if (row.providerAppointmentId === null) return;
  const after = await syncKnownAppointment(ctx, account, row.providerAppointmentId);
  if (!after?.pendingChange) return;
  if (after.version === row.version) await endPendingChange(ctx, after, after.status);
  // The appointment was changed at the provider or locally in the meantime: look up the outcome once more.
  else await queueResolve(ctx.db, ctx, row.id);
}
