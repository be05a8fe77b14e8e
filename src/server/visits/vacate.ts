import type { CallSide } from '#contract/visit-call.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

/** Vacates the seats and deletes the signals from and to them. Returns the number of seats. */
export async function vacateSeats(
  tx: Tx,
  { tenantId, clock }: Pick<Context, 'tenantId' | 'clock'>,
  { id, appointmentId }: { id?: string; appointmentId: string },
  whyLeft: 'left' | 'taken' | 'exchanged' | 'ended',
  side?: CallSide,
): Promise<number> {
  const where = { tenantId, appointmentId, leftAt: null, ...(id && { id }), ...(side && { side }) };
  const seats = await tx.visitSeat.findMany({ where, select: { id: true } });
  const ids = seats.map((seat) => seat.id);
  if (ids.length === 0) return 0;
  // Seats first: a concurrent signal waits for the update and finds no seat, or is already stored and deleted below.
  const { count } = await tx.visitSeat.updateMany({ where, data: { leftAt: clock.now(), whyLeft } });
  await tx.visitSignal.deleteMany({
    where: { tenantId, OR: [{ toSeatId: { in: ids } }, { fromSeatId: { in: ids } }] },
  });
  return count;
}
