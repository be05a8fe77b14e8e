import { LATE_MINUTES } from '#contract/visit-attendance.ts';
import type { AttendanceInput, AttendanceView } from '#contract/visits.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { actingStaff } from './load-visit.ts';
import { readAttendance } from './read-attendance.ts';

const LATE_MS = LATE_MINUTES * MINUTE;

/** Lists who joined the calls of these appointments, including appointments without a call. Staff users only. */
export async function listAttendance(ctx: Context, { ids }: AttendanceInput): Promise<AttendanceView[]> {
  actingStaff(ctx);
  const { tenantId } = ctx;
  const visits = await ctx.db.appointment.findMany({
    where: { tenantId, id: { in: ids }, status: { in: ['scheduled', 'canceled', 'no_show'] } },
  });
  const came = await readAttendance(
    ctx.db,
    ctx,
    visits.map(({ id }) => id),
  );
  const now = ctx.clock.now();
  return visits.map((visit) => {
    const [patientCame, staffCame] = [came(visit.id, 'patient'), came(visit.id, 'staff')];
    return {
      appointment_id: visit.id,
      patient_id: visit.patientId,
      patient_came: patientCame,
      staff_came: staffCame,
      looks_like_no_show: looksLikeNoShow(visit, { patientCame, staffCame }, now),
    };
  });
}

/**
 * True when a staff user joined and the patient did not. Without a staff user the appointment may have taken place
 * elsewhere.
 */
export const looksLikeNoShow = (
  { status, startAt }: Pick<Appointment, 'status' | 'startAt'>,
  { patientCame, staffCame }: { patientCame: boolean; staffCame: boolean },
  now: Date,
): boolean => status === 'scheduled' && staffCame && !patientCame && now.getTime() >= startAt.getTime() + LATE_MS;
