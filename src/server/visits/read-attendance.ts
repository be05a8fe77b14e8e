import type { CallSide } from '#contract/visit-call.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { OPENS_BEFORE_S } from './visit-window.ts';

/**
 * Returns a predicate that says whether a side joined an appointment's call at its current time; earlier times of a
 * rescheduled appointment do not count.
 */
export async function readAttendance(
  db: Pick<Tx, '$queryRaw'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  ids: string[],
): Promise<(appointmentId: string, side: CallSide) => boolean> {
  const rows = await db.$queryRaw<{ came: string }[]>`
    select distinct seat.appointment_id || ' ' || seat.side as came
    from visit_seats as seat
    join appointments as visit on visit.tenant_id = seat.tenant_id and visit.id = seat.appointment_id
    where seat.tenant_id = ${tenantId}::uuid and seat.appointment_id = any(${ids}::uuid[])
      and seat.sat_at >= visit.start_at - ${OPENS_BEFORE_S}::int * interval '1 second'`;
  const all = new Set(rows.map(({ came }) => came));
  return (appointmentId, side) => all.has(`${appointmentId} ${side}`);
}
