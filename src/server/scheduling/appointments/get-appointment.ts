import type { AppointmentView } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { loadAppointment, presentAppointment } from './appointment.ts';
import { findSchedulingIssue } from './scheduling-issue.ts';

/** Returns one appointment, also a canceled one. */
export async function getAppointment(ctx: Context, { id }: { id: string }): Promise<AppointmentView> {
  requireScope(ctx.actor, 'appointments:read');
  const row = await loadAppointment(ctx, id);
  return presentAppointment(ctx, row, await findSchedulingIssue(ctx, row));
}
