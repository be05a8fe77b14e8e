import type { AuditAction } from '#contract/audit-actions.ts';
import type { CallSeatView, CallSide } from '#contract/visit-call.ts';
import type { Appointment, VisitSeat } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { lockCall, presentCall } from './call.ts';
import { closeLater } from './close-call.ts';
import { iceServers } from './ice-servers.ts';
import { ABANDONED_AFTER_S, hashOfHold, hashOfSeat, newSeatKey, vacateSeats } from './seat.ts';
import { HOSTS, windowOf } from './visit.ts';

/** Extra lifetime for a relay whose clock is slow; a reload gets new credentials. */
const RELAYED_BEYOND_MS = 5 * MINUTE;

type SeatRequest = {
  /** Action name in the audit log. */
  action: AuditAction;
  side: CallSide;
  staffId: string | null;
  /** The secret of the patient's tab, which identifies it when it rejoins. */
  hold: string | null;
};

/**
 * Takes a seat in an appointment's call for one side. The holder of the previous seat (the same staff user, or the same
 * tab) takes it over with its admission.
 *
 * @throws 422 `too_early`, `too_late`; 409 `already_canceled`; 409 `conflict` with `meta.state` `taken` when another
 * participant holds the seat; 404 when the link was exchanged in the meantime.
 */
export async function takeSeat(ctx: Context, loaded: Appointment, request: SeatRequest): Promise<CallSeatView> {
  const { tenantId } = ctx;
  const { side, staffId, hold } = request;
  const key = newSeatKey(tenantId);
  const now = ctx.clock.now();
  const id = newId(now);
  const appointment = await ctx.db.$transaction(async (tx) => {
    const appointment = await reloadForShare(tx, ctx, loaded, side);
    assertRoomOpen(ctx, appointment);
    const { opensAt, closesAt } = windowOf(appointment);
    const first = await startCall(tx, ctx, appointment);
    const before = await presentSeat(tx, tenantId, appointment.id, side);
    const isOwn = before !== null && holds(ctx, before, request);
    if (before && !isOwn && before.silentSeconds < ABANDONED_AFTER_S) throw seatTaken(side);
    if (before) await vacateSeats(tx, ctx, { id: before.id, appointmentId: appointment.id }, 'taken');
    await tx.visitCall.updateMany({
      where: { tenantId, appointmentId: appointment.id, endedAt: { not: null } },
      data: { endedAt: null, endedBy: null },
    });
    // A call started at an earlier time of the appointment restarts.
    await tx.visitCall.updateMany({
      where: { tenantId, appointmentId: appointment.id, startedAt: { lt: opensAt } },
      data: { startedAt: null },
    });
    await tx.$executeRaw`
      insert into visit_seats (id, tenant_id, appointment_id, patient_id, side, staff_id, key_hash, hold_hash, sat_at, heard_at, admitted_at)
      values (${id}::uuid, ${tenantId}::uuid, ${appointment.id}::uuid, ${appointment.patientId}::uuid, ${side},
        ${staffId}::uuid, ${hashOfSeat(ctx, key)}::bytea, ${hold === null ? null : hashOfHold(ctx, hold)}::bytea,
        ${now}::timestamptz, clock_timestamp(), ${isOwn ? before.admittedAt : null}::timestamptz)`;
    await record(tx, ctx, {
      action: request.action,
      object: { type: 'Appointment', id: appointment.id },
      patientId: appointment.patientId,
      details: { side, ...(isOwn && { again: true }) },
      ...(!isOwn && { event: 'visit.joined', payload: { ...(await presentCall(tx, ctx, appointment)), joined: side } }),
    });
    if (first || !isOwn) await closeLater(tx, ctx, appointment, closesAt);
    return appointment;
  });
  ctx.trail.patients.add(appointment.patientId);
  ctx.calls.notify(tenantId, appointment.id);
  const remainingMs = windowOf(appointment).closesAt.getTime() - now.getTime();
  return { seat_id: id, key, side, ice_servers: iceServers(ctx, id, remainingMs + RELAYED_BEYOND_MS) };
}

/**
 * Requires that the room is open.
 *
 * @throws 422 `too_early`, `too_late`; 409 `already_canceled`.
 */
export function assertRoomOpen({ clock }: Pick<Context, 'clock'>, appointment: Appointment): void {
  const now = clock.now();
  const { opensAt, closesAt } = windowOf(appointment);
  if (appointment.status === 'canceled')
    throw apiError('already_canceled', 'This appointment was canceled.', { meta: { state: 'canceled' } });
  if (now < opensAt)
    throw apiError('too_early', 'This visit cannot be entered yet: it opens fifteen minutes before it begins.', {
      meta: { state: 'closed', opens_at: opensAt.toISOString() },
    });
  if (now >= closesAt || appointment.status !== 'scheduled')
    throw apiError('too_late', 'This visit is over.', { meta: { state: 'closed' } });
}

/**
 * Reads the appointment again under a share lock, since its link may have been exchanged.
 *
 * @throws 404.
 */
async function reloadForShare(
  tx: Tx,
  { tenantId }: Context,
  { id, videoToken }: Appointment,
  side: CallSide,
): Promise<Appointment> {
  await tx.$queryRaw`select 1 from appointments where tenant_id = ${tenantId}::uuid and id = ${id}::uuid for share`;
  const appointment = await tx.appointment.findFirst({ where: { tenantId, id } });
  if (!appointment || (side === 'patient' && appointment.videoToken !== videoToken)) throw notFound('visit');
  return appointment;
}

/** Creates and locks the call; true when there was none before. */
async function startCall(tx: Tx, ctx: Context, appointment: Appointment): Promise<boolean> {
  const created = await tx.$executeRaw`
    insert into visit_calls (tenant_id, appointment_id, patient_id)
    values (${ctx.tenantId}::uuid, ${appointment.id}::uuid, ${appointment.patientId}::uuid) on conflict do nothing`;
  await lockCall(tx, ctx, appointment);
  return created > 0;
}

type Present = Pick<VisitSeat, 'id' | 'holdHash' | 'staffId' | 'admittedAt'> & {
  /** Seconds since the last heartbeat; infinite for a staff user who may host no more. */
  silentSeconds: number;
};

async function presentSeat(tx: Tx, tenantId: string, appointmentId: string, side: CallSide): Promise<Present | null> {
  const seat = await tx.visitSeat.findFirst({ where: { tenantId, appointmentId, side, leftAt: null } });
  if (!seat) return null;
  const [row] = await tx.$queryRaw<{ silentSeconds: number }[]>`
    select case when person.disabled_at is null and (person.role is null or person.role = any(${HOSTS}::text[])) then extract(epoch from clock_timestamp() - seat.heard_at)
      else 'infinity' end::float8 as "silentSeconds"
    from visit_seats as seat
    left join staff_users as person on person.tenant_id = seat.tenant_id and person.id = seat.staff_id
    where seat.tenant_id = ${tenantId}::uuid and seat.id = ${seat.id}::uuid`;
  return { ...seat, silentSeconds: row?.silentSeconds ?? 0 };
}

function holds(ctx: Context, before: Present, { side, staffId, hold }: SeatRequest): boolean {
  if (side === 'staff') return before.staffId === staffId;
  return hold !== null && before.holdHash !== null && Buffer.compare(hashOfHold(ctx, hold), before.holdHash) === 0;
}

const seatTaken = (side: CallSide) =>
  apiError('conflict', 'This seat of the visit is taken already.', {
    people:
      side === 'staff'
        ? 'Another person of your clinic is in this visit already.'
        : 'This visit is open on another device already. Leave it there, or wait a minute, and try again.',
    meta: { state: 'taken' },
  });
