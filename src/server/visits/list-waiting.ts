import type { WaitingView } from '#contract/visits.ts';
import type { Context } from '#server/core/context.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import { ABANDONED_AFTER_S, PRESENT_WITHIN_S } from './seat.ts';
import { actingStaff, openWindowBounds } from './visit.ts';

type Row = {
  appointment_id: string;
  patient_id: string;
  first_name: string | null;
  last_name: string | null;
  calendar: string;
  practitioner_id: string | null;
  start_at: Date;
  time_zone: string;
  sat_at: Date;
  unheard: number;
};

/** Lists the patients who wait to be let in, ordered by appointment start. Staff users only. */
export async function listWaiting(ctx: Context): Promise<WaitingView[]> {
  actingStaff(ctx);
  const { tenantId } = ctx;
  const { opens, closes } = openWindowBounds(ctx.clock.now());
  const rows = await ctx.db.$queryRaw<Row[]>`
    select visit.id::text as appointment_id, visit.patient_id::text, patient.first_name, patient.last_name,
      visit.calendar, visit.practitioner_id::text, visit.start_at, visit.time_zone,
      -- The waiting time continues when the seat is taken again by a reload, and restarts after leaving.
      coalesce((select min(first.sat_at) from visit_seats as first
        where first.tenant_id = seat.tenant_id and first.appointment_id = seat.appointment_id
          and first.side = 'patient' and first.why_left = 'taken' and first.sat_at > coalesce((
            select max(gone.left_at) from visit_seats as gone
            where gone.tenant_id = seat.tenant_id and gone.appointment_id = seat.appointment_id
              and gone.side = 'patient' and gone.why_left <> 'taken'), '-infinity')), seat.sat_at) as sat_at,
      extract(epoch from clock_timestamp() - seat.heard_at)::float8 as unheard
    from visit_seats as seat
    join appointments as visit on visit.tenant_id = seat.tenant_id and visit.id = seat.appointment_id
    join patients as patient on patient.tenant_id = visit.tenant_id and patient.id = visit.patient_id
    where seat.tenant_id = ${tenantId}::uuid and seat.side = 'patient' and seat.left_at is null
      and seat.admitted_at is null and visit.status = 'scheduled'
      and visit.start_at <= ${opens}::timestamptz and visit.end_at > ${closes}::timestamptz
      and seat.heard_at > clock_timestamp() - ${ABANDONED_AFTER_S}::int * interval '1 second'
    order by visit.start_at, visit.id`;
  return rows.map((row) => ({
    appointment_id: row.appointment_id,
    patient_id: row.patient_id,
    patient_name: [row.first_name, row.last_name].filter(Boolean).join(' '),
    practitioner: row.calendar,
    practitioner_id: row.practitioner_id,
    from_date: stamp(toMinute(row.start_at), row.time_zone),
    waiting_since: row.sat_at.toISOString(),
    is_away: row.unheard > PRESENT_WITHIN_S,
  }));
}
