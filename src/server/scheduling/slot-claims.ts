import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import type { Minute } from '#server/core/zone.ts';

/** A live appointment's hold on a calendar; `until` is exclusive. */
export type Claim = { appointmentId: string; calendarId: number; typeId: number; from: Minute; until: Minute };

/**
 * Takes a time of a calendar for an appointment. False when another appointment holds any of it; the exclusion
 * constraint decides, and DO NOTHING keeps a crowd from deadlocking on it (guarantees.md §2).
 */
export async function claimSlot(
  tx: Tx,
  ctx: Pick<Context, 'tenantId' | 'clock'>,
  slot: { appointmentId: string; calendarId: number; startAt: Date; endAt: Date },
): Promise<boolean> {
  const now = ctx.clock.now();
  const claims = await tx.slotClaim.createManyAndReturn({
    data: [{ id: newId(now), tenantId: ctx.tenantId, ...slot, createdAt: now }],
    skipDuplicates: true,
    select: { id: true },
  });
  return claims.length === 1;
}

/** The claims on these calendars that touch the time between two minutes. */
export async function readClaims(
  ctx: Context,
  calendarIds: number[],
  range: { from: Minute; until: Minute },
): Promise<Claim[]> {
  return ctx.db.$queryRaw<Claim[]>`
    select c.appointment_id as "appointmentId", c.calendar_id as "calendarId", a.appointment_type_id as "typeId",
      (extract(epoch from c.start_at) / 60)::int as "from", (extract(epoch from c.end_at) / 60)::int as "until"
    from slot_claims c join appointments a on a.tenant_id = c.tenant_id and a.id = c.appointment_id
    where c.tenant_id = ${ctx.tenantId}::uuid and c.calendar_id = any(${calendarIds}::int[])
      and tstzrange(c.start_at, c.end_at) &&
        tstzrange(to_timestamp(${range.from * 60}::float8), to_timestamp(${range.until * 60}::float8))`;
}
