import type { Appointment } from '#generated/prisma/client.ts';
import { SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { getAcuityAccount } from '#server/integrations/get-acuity-account.ts';
import type { Acuity } from '#server/providers/acuity.ts';
import { convergeAppointment } from '../acuity-sync/converge-appointment.ts';
import { findAtAcuity } from '../acuity-sync/find-at-acuity.ts';
import { lockAppointment } from '../appointments/appointment-row.ts';
import { holdClaims } from '../appointments/slot-claims.ts';
import { resolveLater } from './begin-booking.ts';

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
  if (remote) await convergeAppointment(ctx, acuity, remote.id);
  else await giveUp(ctx, row, 'failed');
}

async function resolveChange(ctx: Context, acuity: Acuity, row: Appointment): Promise<void> {
  if (row.providerAppointmentId === null) return;
  const after = await convergeAppointment(ctx, acuity, row.providerAppointmentId);
  if (after && after.version === row.version) await giveUp(ctx, after, after.status);
}

/** Ends what was begun, unless somebody has taken it up meanwhile. */
export async function giveUp(ctx: Context, seen: Appointment, status: string): Promise<void> {
  await ctx.db.$transaction(async (tx) => {
    const row = await lockAppointment(tx, ctx.tenantId, seen.id);
    if (!row || row.version !== seen.version) return;
    const after = await tx.appointment.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id: row.id } },
      data: { status, pendingChange: Prisma.DbNull, version: { increment: 1 }, updatedAt: ctx.clock.now() },
    });
    await holdClaims(tx, ctx, after);
  });
}
