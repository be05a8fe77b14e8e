import type { AppointmentView } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { recordImpersonated } from '#server/core/record-impersonated.ts';
import { loadAppointment, presentAppointment } from './appointment.ts';

/** One appointment, canceled or not. Read by an impersonator, it leaves an audit entry. */
export async function getAppointment(ctx: Context, { id }: { id: string }): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:read');
  const row = await loadAppointment(ctx, id);
  await recordImpersonated(ctx, 'appointments.get', { type: 'Appointment', id: row.id });
  return presentAppointment(ctx, row);
}
