import type { AppointmentView } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { loadAppointment } from './appointment-row.ts';
import { presentAppointment } from './present-appointment.ts';

/** One appointment, canceled or not. Read by an impersonator, it leaves an audit entry. */
export async function getAppointment(ctx: Context, { id }: { id: string }): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:read');
  const row = await loadAppointment(ctx, id);
  if (ctx.actor.kind === 'patient' && ctx.actor.impersonatedBy !== null)
    await ctx.db.$transaction((tx) =>
      record(tx, ctx, {
        action: 'appointments.get',
        object: { type: 'Appointment', id: row.id },
        patientId: row.patientId,
      }),
    );
  return presentAppointment(ctx, row);
}
