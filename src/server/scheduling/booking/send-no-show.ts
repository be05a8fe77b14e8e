import type { Appointment } from '#generated/prisma/client.ts';
import { SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { findSchedulingAccount, type SchedulingAccount } from '#server/integrations/index.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import { providerIdOf } from '../appointments/appointment.ts';
import { isOfFormerAccount, settleNoShow, syncKnownAppointment } from '../sync/apply-provider-state.ts';

/** Between the last moment to undo and the call: the clocks of two processes differ by less. */
const GRACE_MS = 15 * SECOND;

export const noShowKey = (appointmentId: string): string => `send_no_show:${appointmentId}`;

/** Queues the job that sends a no-show to the provider once it cannot be undone any more. */
export async function queueNoShow(tx: Pick<Tx, '$executeRaw'>, ctx: Context, row: Appointment): Promise<void> {
  if (!row.noShowDueAt) return;
  const runAt = new Date(row.noShowDueAt.getTime() + GRACE_MS);
  await enqueue(
    tx,
    'send_no_show',
    { tenantId: ctx.tenantId, appointmentId: row.id },
    { runAt, key: noShowKey(row.id) },
  );
}

/**
 * Sends a no-show to the provider. Idempotent; throws when the provider is unreachable, so that the job runs again. An
 * appointment that was rescheduled at the provider since is booked again, and one that is gone there stays as it is.
 * Without a connected account it waits for one: each comparison queues it again.
 */
export async function sendNoShow(services: Services, { tenantId, appointmentId }: Jobs['send_no_show']): Promise<void> {
  const ctx = systemContext(services, tenantId, 'send_no_show');
  const row = await ctx.db.appointment.findFirst({ where: { tenantId, id: appointmentId, status: 'no_show' } });
  if (!row?.noShowDueAt) return;
  if (ctx.clock.now().getTime() < row.noShowDueAt.getTime() + GRACE_MS) return queueNoShow(ctx.db, ctx, row);
  const account = await findSchedulingAccount(ctx);
  if (!account) return;
  if (!isOfFormerAccount(row, account)) await sendTo(ctx, account, row);
  await settleNoShow(ctx, row);
}

/** Sends nothing when the provider has ended or rescheduled the appointment since. */
async function sendTo(ctx: Context, account: SchedulingAccount, row: Appointment): Promise<void> {
  const providerId = providerIdOf(row);
  const after = await syncKnownAppointment(ctx, account, providerId);
  if (!after?.noShowDueAt) return;
  try {
    await account.provider.cancel(providerId, { quiet: true, noShow: true });
  } catch (error) {
    const isGone = error instanceof SchedulingError && error.reason === 'not_found';
    if (!isGone || (await account.provider.appointment(providerId))) throw error;
  }
}

/** Queues every overdue no-show again: no account was connected, or the job has failed permanently. */
export async function queueOverdueNoShows(ctx: Context): Promise<void> {
  const { db, tenantId, clock } = ctx;
  const dueBefore = new Date(clock.now().getTime() - 2 * GRACE_MS);
  const rows = await db.appointment.findMany({ where: { tenantId, noShowDueAt: { lt: dueBefore } } });
  for (const row of rows) await queueNoShow(db, ctx, row);
}
