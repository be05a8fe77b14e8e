import { LATE_MINUTES } from '#contract/limits.ts';
import type { CallSide } from '#contract/visit-call.ts';
import type { AttendanceInput, AttendanceView } from '#contract/visits.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { actingStaff, OPENS_BEFORE_S } from './visit.ts';

const LATE_MS = LATE_MINUTES * MINUTE;

/** Lists who joined the calls of these appointments, including appointments without a call. Staff users only. */
export async function listAttendance(ctx: Context, { ids }: AttendanceInput): Promise<AttendanceView[]> {
  actingStaff(ctx, 'appointments:read');
  const { tenantId } = ctx;
  const appointments = await ctx.db.appointment.findMany({
    where: { tenantId, id: { in: ids }, status: { in: ['scheduled', 'canceled', 'no_show'] } },
  });
  const hasJoined = await readAttendance(
    ctx.db,
    ctx,
    appointments.map(({ id }) => id),
  );
  const now = ctx.clock.now();
  return appointments.map((appointment) => {
    const [patientJoined, staffJoined] = [hasJoined(appointment.id, 'patient'), hasJoined(appointment.id, 'staff')];
    return {
      appointment_id: appointment.id,
      patient_id: appointment.patientId,
      patient_came: patientJoined,
      staff_came: staffJoined,
      looks_like_no_show: looksLikeNoShow(appointment, { patientJoined, staffJoined }, now),
    };
  });
}

/**
 * True when a staff user joined and the patient did not. Without a staff user, or when it is noted that the patient
 * came, the appointment may have taken place elsewhere.
 */
export const looksLikeNoShow = (
  {
    status,
    startAt,
    checkedInAt,
    completedAt,
  }: Pick<Appointment, 'status' | 'startAt' | 'checkedInAt' | 'completedAt'>,
  { patientJoined, staffJoined }: { patientJoined: boolean; staffJoined: boolean },
  now: Date,
): boolean =>
  status === 'scheduled' &&
  !(checkedInAt ?? completedAt) &&
  staffJoined &&
  !patientJoined &&
  now.getTime() >= startAt.getTime() + LATE_MS;

/**
 * Returns a predicate that says whether a side joined an appointment's call at its current time; earlier times of a
 * rescheduled appointment do not count.
 */
export async function readAttendance(
  db: Pick<Tx, '$queryRaw'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  ids: string[],
): Promise<(appointmentId: string, side: CallSide) => boolean> {
  const rows = await db.$queryRaw<{ joined: string }[]>`
    select distinct seat.appointment_id || ' ' || seat.side as joined
    from visit_seats as seat
    join appointments as appointment on appointment.tenant_id = seat.tenant_id and appointment.id = seat.appointment_id
    where seat.tenant_id = ${tenantId}::uuid and seat.appointment_id = any(${ids}::uuid[])
      and seat.sat_at >= appointment.start_at - ${OPENS_BEFORE_S}::int * interval '1 second'`;
  const all = new Set(rows.map(({ joined }) => joined));
  return (appointmentId, side) => all.has(`${appointmentId} ${side}`);
}
