import type { AppointmentView } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { isStaff } from '#server/core/actor.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { notFound, refuse } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import { type Minute, stamp, toMinute } from '#server/core/zone.ts';
import { mayActFor } from '#server/patients/load-patient.ts';

/** What the API shows: a booking whose outcome is not known, or that came to nothing, is no appointment yet. */
export const SHOWN = ['scheduled', 'canceled', 'no_show'];

/**
 * What was begun at Acuity and has not ended here: a booking, a cancellation, or a move `to` an instant whose time is
 * claimed already. `unknown`: Acuity was asked and did not say what it did.
 */
export type PendingChange = { kind: 'book' | 'cancel' | 'move'; to?: string; unknown: boolean };
export const pendingChange = (row: Pick<Appointment, 'pendingChange'>): PendingChange | null =>
  row.pendingChange as PendingChange | null;

/** When the outcome of a call to Acuity is looked up at the latest, even if this process dies now. */
export const RESOLVE_AFTER_MS = 60 * SECOND;

/** Sees to it that somebody finds out what Acuity did. */
export const resolveLater = (tx: Pick<Tx, '$executeRaw'>, ctx: Context, appointmentId: string): Promise<void> =>
  enqueue(
    tx,
    'resolve_appointment',
    { tenantId: ctx.tenantId, appointmentId },
    { runAt: new Date(ctx.clock.now().getTime() + RESOLVE_AFTER_MS), key: `resolve_appointment:${appointmentId}` },
  );

/** An appointment that the actor may see, or `not_found`. */
export async function loadAppointment(ctx: Context, id: string): Promise<Appointment & { quiet: boolean }> {
  const row = await ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, id, status: { in: SHOWN } },
    include: { patient: { select: { email: true } } },
  });
  if (!row || !mayActFor(ctx.actor, row.patientId)) throw notFound('appointment');
  const { patient, ...appointment } = row;
  return { ...appointment, quiet: patient.email === null };
}

/** The row, kept from others until the transaction ends. */
export async function lockAppointment(tx: Tx, tenantId: string, id: string): Promise<Appointment | null> {
  await tx.$queryRaw`select 1 from appointments where tenant_id = ${tenantId}::uuid and id = ${id}::uuid for update`;
  return tx.appointment.findFirst({ where: { tenantId, id } });
}

export const videoUrl = (ctx: Pick<Context, 'config'>, videoToken: string): string =>
  `${ctx.config.videoBaseUrl}/${videoToken}`;

export function presentAppointment(ctx: Pick<Context, 'config'>, row: Appointment): AppointmentView {
  const from = toMinute(row.startAt);
  const until = toMinute(row.endAt);
  return {
    id: row.id,
    patient_id: row.patientId,
    appointment_type_id: row.appointmentTypeId,
    appointment_type: row.appointmentType,
    calendar_id: row.calendarId,
    calendar: row.calendar,
    practitioner_id: row.practitionerId,
    // A calendar bears its practitioner's name (api.md §5).
    practitioner_name: row.calendar,
    from_date: stamp(from, row.timeZone),
    to_date: stamp(until, row.timeZone),
    duration_minutes: until - from,
    time_zone: row.timeZone,
    location: row.location,
    video_call_url: videoUrl(ctx, row.videoToken),
    status: row.status as AppointmentView['status'],
    canceled_at: row.canceledAt?.toISOString() ?? null,
    metadata: row.metadata as AppointmentView['metadata'],
    attendees: [{ id: row.patientId, type: 'Patient' }],
    provider_appointment_id: row.providerAppointmentId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

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

/** Ends what was begun, unless somebody has taken it up meanwhile. */
export async function giveUp(ctx: Context, seen: Appointment, status: string): Promise<void> {
  await ctx.db.$transaction(async (tx) => {
    const row = await lockAppointment(tx, ctx.tenantId, seen.id);
    if (!row || row.version !== seen.version) return;
    const after = await tx.appointment.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id: row.id } },
      data: { status, pendingChange: Prisma.DbNull, version: { increment: 1 }, updatedAt: ctx.clock.now() },
    });
    await holdClaims(tx, ctx, after);
  });
}
