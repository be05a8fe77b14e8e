import { setTimeout as pause } from 'node:timers/promises';
import type { BookAppointmentInput } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma } from '#server/core/db.ts';
import { OUTCOME_UNKNOWN, refuse } from '#server/core/errors.ts';
import { fromMinute, type Minute } from '#server/core/zone.ts';
import { holdInCare } from '#server/patients/assert-in-care.ts';
import { lockAppointment, SHOWN } from './appointment-row.ts';
import { BOOKING_NOW, findSame, RESOLVE_AFTER_MS, resolveLater } from './begin-booking.ts';
import { claimSlot, type Overlap } from './slot-claims.ts';

/** How long an equal request waits for the first one to end. */
const PATIENCE_MS = 20 * SECOND;
const LOOK_EVERY_MS = 100;

/**
 * The booking that this request is a retry of: the one made under the same Idempotency-Key; without a key an equal
 * request's of a moment ago, or the same patient's booking of the same time whose outcome is not known.
 */
export async function findEarlier(
  ctx: Context,
  input: BookAppointmentInput,
  { asked, start }: { asked: string; start: Minute },
): Promise<Appointment | null> {
  const { tenantId } = ctx;
  if (ctx.keyed) {
    const known = await ctx.db.appointment.findFirst({ where: { tenantId, requestKey: ctx.keyed.id } });
    if (known && known.asked !== asked)
      throw refuse('idempotency_key_reused', 'This Idempotency-Key was used with another request.', {
        source: { parameter: 'Idempotency-Key' },
      });
    return known;
  }
  const same = await findSame(ctx.db, ctx, asked);
  if (same) return same;
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
 * Takes an earlier booking up again, with its id, link and claim. `done`: it is one already, or the request that began
 * it has just finished it. Null when it came to nothing and its time has gone: the request is then a new one.
 */
export async function resumeBooking(
  ctx: Context,
  earlier: Appointment,
  overlap: Overlap,
): Promise<{ done: Appointment } | { again: Appointment } | null> {
  await settled(ctx, earlier);
  return ctx.db.$transaction(async (tx) => {
    const row = await lockAppointment(tx, ctx.tenantId, earlier.id);
    if (!row) return null;
    if (SHOWN.includes(row.status)) return ctx.keyed || row.status === 'scheduled' ? { done: row } : null;
    if (row.status === 'pending' && !isAbandoned(ctx, row))
      throw refuse('conflict', 'This booking is being made right now; send the request again in a few seconds.', {
        people: BOOKING_NOW,
        meta: OUTCOME_UNKNOWN,
      });
    if (row.status !== 'pending' && !ctx.keyed) return null;
    const where = { tenantId_id: { tenantId: ctx.tenantId, id: row.id } };
    const { patientId, calendarId, startAt, endAt } = row;
    const slot = { appointmentId: row.id, patientId, calendarId, startAt, endAt };
    const isHeld = row.status === 'pending' || (await claimSlot(tx, ctx, slot, overlap));
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

/** Waits while somebody is at work on a booking. */
async function settled(ctx: Context, { id }: Appointment): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_EVERY_MS) {
    const row = await ctx.db.appointment.findFirst({ where: { tenantId: ctx.tenantId, id } });
    if (row?.status !== 'pending' || isAbandoned(ctx, row)) return;
    await pause(LOOK_EVERY_MS);
  }
}
