import type { VisitMessageView } from '#contract/visit-messages.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { getAppointment } from '#server/scheduling/appointments/get-appointment.ts';
import { presentMessage } from './message.ts';

/**
 * Lists the planned and sent messages of an appointment, ordered by due time.
 *
 * @throws 404.
 */
export async function listAppointmentMessages(ctx: Context, { id }: { id: string }): Promise<VisitMessageView[]> {
  requireScope(ctx.actor, 'appointments:read', { patients: false });
  const appointment = await getAppointment(ctx, { id });
  ctx.trail.patients.add(appointment.patient_id);
  const rows = await ctx.db.visitMessage.findMany({
    where: { tenantId: ctx.tenantId, appointmentId: id },
    orderBy: [{ dueAt: 'asc' }, { sequence: 'asc' }, { id: 'asc' }],
  });
  return rows.map(presentMessage);
}
