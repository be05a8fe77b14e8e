import type { Appointment } from '#generated/prisma/client.ts';
import { isStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import type { Minute } from '#server/core/zone.ts';
import { pendingChange } from './appointment-row.ts';

/** A live appointment's hold on a calendar; `until` is exclusive. */
export type Claim = { appointmentId: string; calendarId: number; typeId: number; from: Minute; until: Minute };

/** `allowed`: beside another visit of the same patient, because staff want it or the provider's console made it so. */
export type Overlap = 'refused' | 'allowed';

/**
 * Takes a time of a calendar and of a patient for an appointment. False when another appointment holds any of the
 * calendar's; 409 `conflict` naming the other when the patient has one then. Exclusion constraints decide, and DO
 * NOTHING keeps a crowd from deadlocking on them (guarantees.md §2).
 */
export async function claimSlot(
  tx: Tx,
  ctx: Pick<Context, 'tenantId' | 'clock'>,
  slot: { appointmentId: string; patientId: string; calendarId: number; startAt: Date; endAt: Date },
  overlap: Overlap = 'refused',
): Promise<boolean> {
  const now = ctx.clock.now();
  const other = await findOverlap(tx, ctx, slot);
  if (other !== null && overlap === 'refused')
    throw refuse('conflict', 'The patient already has a visit at this time.', {
      source: { pointer: '/from_date' },
      meta: { appointment_id: other },
    });
  const claims = await tx.slotClaim.createManyAndReturn({
    data: [{ id: newId(now), tenantId: ctx.tenantId, ...slot, overlapOk: other !== null, createdAt: now }],
    skipDuplicates: true,
    select: { id: true },
  });
  return claims.length === 1;
}

/**
 * Another appointment of the patient that holds any of this time, whose visits wait for each other from here to the end
 * of the transaction: the constraint does not see those that may overlap.
 */
async function findOverlap(
  tx: Tx,
  { tenantId }: Pick<Context, 'tenantId'>,
  {
    appointmentId,
    patientId,
    startAt,
    endAt,
  }: { appointmentId: string; patientId: string; startAt: Date; endAt: Date },
): Promise<string | null> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`visits:${tenantId}:${patientId}`}, 0))`;
  const other = await tx.slotClaim.findFirst({
    where: {
      tenantId,
      patientId,
      appointmentId: { not: appointmentId },
      startAt: { lt: endAt },
      endAt: { gt: startAt },
    },
    orderBy: { startAt: 'asc' },
    select: { appointmentId: true },
  });
  return other?.appointmentId ?? null;
}

/** Only staff, who see both visits, may mean it. */
export function readOverlap(
  { actor }: Pick<Context, 'actor'>,
  { allow_overlap }: { allow_overlap?: boolean | undefined },
): Overlap {
  if (!allow_overlap) return 'refused';
  if (isStaff(actor) || actor.kind === 'system') return 'allowed';
  throw refuse('forbidden', 'Only staff may have two visits of one patient overlap.', {
    source: { pointer: '/allow_overlap' },
  });
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

type Slot = { calendarId: number; startAt: Date; endAt: Date };
const sameSlot = (a: Slot, b: Slot) =>
  a.calendarId === b.calendarId &&
  a.startAt.getTime() === b.startAt.getTime() &&
  a.endAt.getTime() === b.endAt.getTime();

/**
 * Leaves the appointment with exactly the claims that its row calls for: none when it is over or canceled, else its own
 * time and the one it may be moving to. Acuity's console can force an overlap: of one calendar it is recorded without a claim, of
 * one patient with one.
 */
export async function holdClaims(tx: Tx, ctx: Context, row: Appointment): Promise<void> {
  const isLive = row.status === 'scheduled' && row.endAt > ctx.clock.now();
  const wanted: Slot[] = isLive ? [row] : [];
  const to = pendingChange(row)?.to;
  if (isLive && to) {
    const startAt = new Date(to);
    wanted.push({ ...row, startAt, endAt: new Date(startAt.getTime() + row.endAt.getTime() - row.startAt.getTime()) });
  }
  const held = await tx.slotClaim.findMany({ where: { tenantId: ctx.tenantId, appointmentId: row.id } });
  for (const { calendarId, startAt, endAt } of wanted) {
    const slot = { calendarId, startAt, endAt };
    if (held.some((claim) => sameSlot(claim, slot))) continue;
    if (!(await claimSlot(tx, ctx, { appointmentId: row.id, patientId: row.patientId, ...slot }, 'allowed')))
      ctx.log.warn({ appointmentId: row.id }, 'Acuity holds overlapping appointments on one calendar');
  }
  const superfluous = held.filter((claim) => !wanted.some((slot) => sameSlot(claim, slot)));
  if (superfluous.length > 0)
    await tx.slotClaim.deleteMany({ where: { tenantId: ctx.tenantId, id: { in: superfluous.map(({ id }) => id) } } });
}
