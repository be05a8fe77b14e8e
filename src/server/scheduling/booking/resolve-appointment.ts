import type { Appointment } from '#generated/prisma/client.ts';
import { SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { getAcuityAccount } from '#server/integrations/get-acuity-account.ts';
import type { Acuity } from '#server/providers/acuity.ts';
import { findAtAcuity, syncAppointment } from '../acuity-sync/sync-appointment.ts';
import { giveUp, resolveLater } from '../appointments/appointment.ts';

/** A call that was begun longer ago than this has ended one way or the other, at Acuity too. */
const SETTLED_AFTER_MS = 45 * SECOND;

/**
 * Finds out what became of a booking, a move or a cancellation whose outcome is not known, and ends it: done when
 * Acuity has it, given up with its claim released when it does not. Runs any number of times; throws when Acuity cannot
 * be asked, so that it runs again.
 */
export async function resolveAppointment(services: Services, payload: Jobs['resolve_appointment']): Promise<void> {
  const ctx = systemContext(services, payload.tenantId, 'resolve_appointment');
  const { tenantId } = ctx;
  // Every booking comes by here, which keeps the table of claims to what lies ahead.
  await ctx.db.slotClaim.deleteMany({ where: { tenantId, endAt: { lt: ctx.clock.now() } } });
  const row = await ctx.db.appointment.findFirst({ where: { tenantId, id: payload.appointmentId } });
  if (!row || row.status === 'failed') return;
  if (row.status === 'pending' || row.pendingChange) {
    if (ctx.clock.now().getTime() - row.updatedAt.getTime() < SETTLED_AFTER_MS)
      return resolveLater(ctx.db, ctx, row.id);
  }
  const { acuity } = await getAcuityAccount(ctx);
  await (row.status === 'pending' ? resolveBooking(ctx, acuity, row) : resolveChange(ctx, acuity, row));
}

async function resolveBooking(ctx: Context, acuity: Acuity, row: Appointment): Promise<void> {
  const remote = await findAtAcuity(ctx, acuity, row);
  if (remote) await syncAppointment(ctx, acuity, remote.id);
  else await giveUp(ctx, row, 'failed');
}

async function resolveChange(ctx: Context, acuity: Acuity, row: Appointment): Promise<void> {
  if (row.providerAppointmentId === null) return;
  const after = await syncAppointment(ctx, acuity, row.providerAppointmentId);
  if (after && after.version === row.version) await giveUp(ctx, after, after.status);
}
