import type { SeatOnPage, VisitCallPageView } from '#contract/visits.ts';
import type { VisitSeat } from '#generated/prisma/client.ts';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { presentCall } from './call.ts';
import { ABANDONED_AFTER_S } from './seat.ts';
import { actingStaff, loadVisitAppointment, windowOf } from './visit.ts';

/** Maximum number of seats returned; more result only from a page that keeps rejoining. */
const MAX_SEATS = 100;

/**
 * Returns an appointment's call for its page in the portal: who joined when, and the connection quality. Staff users
 * only.
 *
 * @throws forbidden, not_found.
 */
export async function showCall(ctx: Context, { id }: { id: string }): Promise<VisitCallPageView> {
  actingStaff(ctx, 'appointments:read');
  const appointment = await loadVisitAppointment(ctx, id);
  const { tenantId } = ctx;
  const seats = await ctx.db.visitSeat.findMany({
    where: { tenantId, appointmentId: id },
    orderBy: [{ satAt: 'asc' }, { id: 'asc' }],
    take: MAX_SEATS,
  });
  const people = await ctx.db.staffUser.findMany({
    where: { tenantId, id: { in: seats.flatMap(({ staffId }) => staffId ?? []) } },
    select: { id: true, name: true },
  });
  const now = ctx.clock.now();
  const { opensAt, closesAt } = windowOf(appointment);
  return {
    ...(await presentCall(ctx.db, ctx, appointment)),
    seats: seats.map((seat) => presentSeat(seat, people.find((one) => one.id === seat.staffId)?.name ?? null, now)),
    opens_at: opensAt.toISOString(),
    closes_at: closesAt.toISOString(),
  };
}

/** A seat without a heartbeat for a minute counts as left at its last one. */
function presentSeat(seat: VisitSeat, name: string | null, now: Date): SeatOnPage {
  const isSilent = now.getTime() - seat.heardAt.getTime() > ABANDONED_AFTER_S * SECOND;
  const leftAt = isSilent && (!seat.leftAt || seat.heardAt < seat.leftAt) ? seat.heardAt : seat.leftAt;
  return {
    side: seat.side as SeatOnPage['side'],
    name,
    from: seat.satAt.toISOString(),
    until: leftAt?.toISOString() ?? null,
    devices: seat.devices as SeatOnPage['devices'],
    path: seat.path as SeatOnPage['path'],
    media: seat.media as SeatOnPage['media'],
    quality: seat.quality as SeatOnPage['quality'],
    worst_quality: seat.worstQuality as SeatOnPage['quality'],
  };
}
