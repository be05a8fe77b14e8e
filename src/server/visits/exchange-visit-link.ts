import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { videoUrl } from '#server/core/video-url.ts';
import { exchangeLink } from '#server/scheduling/index.ts';
import { vacateSeats } from './seat.ts';
import { actingStaff, loadVisit } from './visit.ts';

/**
 * Exchanges the video link of an appointment: the old link stops working, and a patient who joined by it is removed.
 * Messages that are still to be sent contain the new link; none is sent because of the exchange.
 *
 * @throws forbidden, not_found; 409 `already_canceled`.
 */
export async function exchangeVisitLink(ctx: Context, { id }: { id: string }): Promise<{ video_call_url: string }> {
  actingStaff(ctx);
  const visit = await loadVisit(ctx, id);
  const { tenantId } = ctx;
  const after = await ctx.db.$transaction(async (tx) => {
    const exchanged = await exchangeLink(tx, ctx, id);
    if (!exchanged) throw apiError('already_canceled', 'This appointment was canceled.');
    await vacateSeats(tx, ctx, { appointmentId: id }, 'exchanged', 'patient');
    await record(tx, ctx, {
      action: 'visits.exchange_link',
      object: { type: 'Appointment', id },
      patientId: visit.patientId,
    });
    return exchanged;
  });
  ctx.calls.notify(tenantId, id);
  return { video_call_url: videoUrl(ctx, after.videoToken) };
}
