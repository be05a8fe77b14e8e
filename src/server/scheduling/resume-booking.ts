import type { BookAppointmentInput } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { fromMinute, type Minute } from '#server/core/zone.ts';
import { holdInCare } from '#server/patients/assert-in-care.ts';
import { lockAppointment, SHOWN } from './appointment-row.ts';
import { RESOLVE_AFTER_MS, requestKeyOf, resolveLater } from './begin-booking.ts';
import { claimSlot } from './slot-claims.ts';

/**
 * The booking that this request is a retry of: the one made under the same Idempotency-Key, or the same patient's
 * booking of the same time whose outcome is not known.
 */
export async function findEarlier(
  ctx: Context,
  input: BookAppointmentInput,
  start: Minute,
): Promise<Appointment | null> {
  const requestKey = requestKeyOf(ctx);
  const { tenantId } = ctx;
  if (requestKey !== null) return ctx.db.appointment.findFirst({ where: { tenantId, requestKey } });
  const open = await ctx.db.appointment.findFirst({
    where: {
      tenantId,
      patientId: input.patient_id,
      startAt: fromMinute(start),
      status: 'pending',
      appointmentTypeId: input.appointment_type_id,
      ...(input.calendar_id !== undefined && { calendarId: input.calendar_id }),
    },
  });
  return open && isAbandoned(ctx, open) ? open : null;
}

/** Nobody is at work on it: its outcome was given up as unknown, or its process died. */
const isAbandoned = (ctx: Context, row: Appointment): boolean =>
  row.pendingChange !== null || ctx.clock.now().getTime() - row.updatedAt.getTime() > RESOLVE_AFTER_MS;

/**
 * Takes an earlier booking up again, with its id, link and claim. `done`: it is one already. Null when it came to
 * nothing and its time has gone: the request is then a new one.
 */
export async function resumeBooking(
  ctx: Context,
  earlier: Appointment,
): Promise<{ done: Appointment } | { again: Appointment } | null> {
  return ctx.db.$transaction(async (tx) => {
    const row = await lockAppointment(tx, ctx.tenantId, earlier.id);
    if (!row) return null;
    if (SHOWN.includes(row.status)) return { done: row };
    if (row.status === 'pending' && !isAbandoned(ctx, row))
      throw refuse('conflict', 'This booking is being made right now; send the request again in a few seconds.');
    const where = { tenantId_id: { tenantId: ctx.tenantId, id: row.id } };
    const { calendarId, startAt, endAt } = row;
    const isHeld =
      row.status === 'pending' || (await claimSlot(tx, ctx, { appointmentId: row.id, calendarId, startAt, endAt }));
    if (!isHeld) {
      await tx.appointment.update({ where, data: { requestKey: null } });
      return null;
    }
    await holdInCare(tx, ctx, row.patientId);
    await resolveLater(tx, ctx, row.id);
    const again = await tx.appointment.update({
      where,
      data: {
        status: 'pending',
        pendingChange: Prisma.DbNull,
        version: { increment: 1 },
        updatedAt: ctx.clock.now(),
      },
    });
    return { again };
  });
}
