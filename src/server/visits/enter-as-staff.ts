import type { CallSeatView } from '#contract/visit-call.ts';
import type { Context } from '#server/core/context.ts';
import { takeSeat } from './take-seat.ts';
import { actingStaff, loadVisit } from './visit.ts';

/**
 * Takes the staff seat of an appointment's call; the same staff user can take it again on another page or device.
 *
 * @throws errors of `takeSeat`; forbidden, not_found.
 */
export async function enterAsStaff(ctx: Context, { id }: { id: string }): Promise<CallSeatView> {
  const staffId = actingStaff(ctx);
  const visit = await loadVisit(ctx, id);
  return takeSeat(ctx, visit, { action: 'visits.enterAsStaff', side: 'staff', staffId, hold: null });
}
