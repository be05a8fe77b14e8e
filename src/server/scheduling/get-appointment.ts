import type { AppointmentView } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { loadAppointment } from './appointment-row.ts';
import { auditRead } from './audit-read.ts';
import { presentAppointment } from './present-appointment.ts';

/** One appointment, canceled or not. Read by an impersonator, it leaves an audit entry. */
export async function getAppointment(ctx: Context, { id }: { id: string }): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:read');
  const row = await loadAppointment(ctx, id);
  await auditRead(ctx, 'appointments.get', row.id);
  return presentAppointment(ctx, row);
}
