import type { CallSide } from '#contract/visit-call.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { type EndedBy, endCallOf } from './end-call.ts';
import { ABANDONED_AFTER_S } from './seat.ts';
import { windowOf } from './visit.ts';

/** Time to rejoin after the last participant has left. */
const REJOIN_MS = 2 * MINUTE;

const keyOf = (appointmentId: string) => `close_call:${appointmentId}`;

/** Queues the job that ends an abandoned call. */
export const closeLater = (
  tx: Pick<Tx, '$executeRaw'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  { id }: Pick<Appointment, 'id'>,
  runAt: Date,
): Promise<void> =>
  enqueue(tx, 'close_call', { tenantId, appointmentId: id }, { runAt, key: keyOf(id), keepEarlier: true });

/** Queues the end of the call after a participant has left; it ends unless someone rejoins. */
export const closeSoon = (
  tx: Pick<Tx, '$executeRaw'>,
  ctx: Context,
  appointment: Pick<Appointment, 'id'>,
): Promise<void> => closeLater(tx, ctx, appointment, new Date(ctx.clock.now().getTime() + REJOIN_MS));

/** Ends a call without participants or past its window; otherwise checks again later. */
export async function closeCall(services: Services, { tenantId, appointmentId }: Jobs['close_call']): Promise<void> {
  const ctx = systemContext(services, tenantId, 'close_call');
  const appointment = await ctx.db.appointment.findFirst({ where: { tenantId, id: appointmentId } });
  if (appointment) await endCallOf(ctx, appointment, (tx) => decideEnd(tx, ctx, appointment));
}

/** Returns the side that ended a call implicitly, or null while it continues. */
async function decideEnd(tx: Tx, ctx: Context, appointment: Appointment): Promise<EndedBy | null> {
  const { tenantId } = ctx;
  const appointmentId = appointment.id;
  const call = await tx.visitCall.findFirst({ where: { tenantId, appointmentId, endedAt: null } });
  if (!call) return null;
  const now = ctx.clock.now();
  const { opensAt, closesAt } = windowOf(appointment);
  // Locks the seats, so that a rejoining participant waits for the decision.
  const seats = await tx.$queryRaw<{ is_here: boolean }[]>`
    select heard_at > clock_timestamp() - ${ABANDONED_AFTER_S}::int * interval '1 second' as is_here from visit_seats
    where tenant_id = ${tenantId}::uuid and appointment_id = ${appointmentId}::uuid and left_at is null for update`;
  // An appointment rescheduled during the call is not open either.
  const isOpen = appointment.status === 'scheduled' && opensAt <= now && now < closesAt;
  if (isOpen && seats.some((seat) => seat.is_here)) {
    await closeLater(tx, ctx, appointment, new Date(Math.min(closesAt.getTime(), now.getTime() + REJOIN_MS)));
    return null;
  }
  const last = await tx.visitSeat.findFirst({
    where: { tenantId, appointmentId, whyLeft: 'left' },
    orderBy: { leftAt: 'desc' },
  });
  return isOpen && last ? (last.side as CallSide) : 'time';
}
