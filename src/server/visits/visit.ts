import { EARLY_MINUTES, OVERTIME_MINUTES } from '#contract/limits.ts';
import { type Permission, rolesWith } from '#contract/roles.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { isStaff, requireStaff } from '#server/core/actor.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';

/** Roles that may be in a visit: staff whose role is another now lose their seat at once. */
export const HOSTS = rolesWith('visits:host');

/**
 * Returns the id of the acting staff user.
 *
 * @throws forbidden.
 */
export function actingStaff({ actor }: Context, permission: Permission): string {
  requireStaff(actor, permission);
  if (!isStaff(actor)) throw apiError('forbidden', 'Only staff of this clinic can be in a visit.');
  return actor.userId;
}

/**
 * Returns an appointment by its id, for staff users.
 *
 * @throws not_found.
 */
export async function loadVisitAppointment(ctx: Context, id: string): Promise<Appointment> {
  const appointment = await ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, id, status: { in: ['scheduled', 'canceled', 'no_show'] } },
  });
  if (!appointment) throw notFound('appointment');
  ctx.trail.patients.add(appointment.patientId);
  return appointment;
}

const OPENS_BEFORE_MS = EARLY_MINUTES * MINUTE;
const CLOSES_AFTER_MS = OVERTIME_MINUTES * MINUTE;
export const OPENS_BEFORE_S = OPENS_BEFORE_MS / SECOND;

/** Returns when the video room is open: from shortly before the start until an hour after the end, for late calls. */
export const windowOf = ({ startAt, endAt }: Pick<Appointment, 'startAt' | 'endAt'>) => ({
  opensAt: new Date(startAt.getTime() - OPENS_BEFORE_MS),
  closesAt: new Date(endAt.getTime() + CLOSES_AFTER_MS),
});

/**
 * Returns the bounds for queries: a room is open when the appointment starts not after `opens` and ends after `closes`.
 */
export const openWindowBounds = (now: Date) => ({
  opens: new Date(now.getTime() + OPENS_BEFORE_MS),
  closes: new Date(now.getTime() - CLOSES_AFTER_MS),
});
