import type { Context } from '#server/core/context.ts';
import type { Minute } from '#server/core/zone.ts';
import type { Calendar } from '../catalogue/catalogue.ts';
import type { Claim } from './free-times.ts';

/** A claim; `isOpen` while the provider has not said what came of the booking that made it. */
export type Hold = Claim & { isOpen: boolean };

/** A day to either side covers any duration and padding. */
const AROUND_SECONDS = 24 * 60 * 60;

/** What holds the calendars around a time, whoever it belongs to. */
export const findHolds = (ctx: Context, calendars: Calendar[], start: Minute): Promise<Hold[]> =>
  ctx.db.$queryRaw<Hold[]>`
    select c.appointment_id as "appointmentId", c.calendar_id as "calendarId", coalesce(a.appointment_type_id, u.appointment_type_id) as "typeId",
      (extract(epoch from c.start_at) / 60)::int as "from", (extract(epoch from c.end_at) / 60)::int as "until",
      coalesce(a.status = 'pending' or (a.pending_change->>'unknown')::boolean, false) as "isOpen"
    from slot_claims c
    left join appointments a on a.tenant_id = c.tenant_id and a.id = c.appointment_id
    left join unmatched_appointments u on u.tenant_id = c.tenant_id and u.id = c.unmatched_id
    where c.tenant_id = ${ctx.tenantId}::uuid and c.calendar_id = any(${calendars.map(({ id }) => id)}::int[])
      and tstzrange(c.start_at, c.end_at) && tstzrange(
        to_timestamp(${start * 60 - AROUND_SECONDS}::float8), to_timestamp(${start * 60 + AROUND_SECONDS}::float8))`;
