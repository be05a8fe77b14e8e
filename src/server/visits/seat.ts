import type { CallSide } from '#contract/visit-call.ts';
import type { Context, Services } from '#server/core/context.ts';
import { keyedHash } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { newLinkToken } from '#server/core/ids.ts';

/** Seconds since the last heartbeat within which a seat counts as present. */
export const PRESENT_WITHIN_S = 15;
/** Seconds since the last heartbeat after which a seat counts as abandoned and can be taken. */
export const ABANDONED_AFTER_S = 60;

/** Returns a new seat key, which contains the tenant id like a link's token. */
export const newSeatKey = (tenantId: string): string => newLinkToken(tenantId);

/** Returns the hash of a seat key; only the hash is stored. */
export const hashOfSeat = (services: Pick<Services, 'cipher'>, key: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(keyedHash(services, 'visit seat', key));

/** Returns the hash of a tab's secret; only the hash is stored. */
export const hashOfHold = (services: Pick<Services, 'cipher'>, hold: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(keyedHash(services, 'visit seat hold', hold));

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
