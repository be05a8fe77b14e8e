import type { Appointment } from '#generated/prisma/client.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';

/**
 * Returns the id of the acting staff user.
 *
 * @throws forbidden.
 */
export function actingStaff({ actor }: Context): string {
  requireStaff(actor);
  if (actor.kind !== 'practitioner' && actor.kind !== 'admin')
    throw apiError('forbidden', 'Only staff of this clinic can be in a visit.');
  return actor.userId;
}

/**
 * Returns an appointment by its id, for staff users.
 *
 * @throws not_found.
 */
export async function loadVisit(ctx: Context, id: string): Promise<Appointment> {
  const visit = await ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, id, status: { in: ['scheduled', 'canceled', 'no_show'] } },
  });
  if (!visit) throw notFound('appointment');
  ctx.trail.patients.add(visit.patientId);
  return visit;
}
