import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newLinkToken } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import { tokenOfLink, videoUrl } from '#server/core/video-url.ts';
import { lockAppointment, recordChange } from './appointment.ts';

/**
 * Gives a scheduled appointment a new video link and invalidates the old one. When the link is the location, a job
 * sends it to the provider after the transaction. Null when the appointment is canceled.
 */
export async function exchangeLink(tx: Tx, ctx: Context, id: string): Promise<Appointment | null> {
  const { tenantId } = ctx;
  const before = await lockAppointment(tx, tenantId, id);
  if (before?.status !== 'scheduled') return null;
  const videoToken = newLinkToken(tenantId);
  const isByVideo = before.location === null || tokenOfLink(before.location, tenantId) !== null;
  const after = await tx.appointment.update({
    where: { tenantId_id: { tenantId, id } },
    data: {
      videoToken,
      ...(isByVideo && { location: videoUrl(ctx, videoToken) }),
      version: { increment: 1 },
      updatedAt: ctx.clock.now(),
    },
  });
  await recordChange(tx, ctx, after, 'changed');
  const { accountId, providerAppointmentId } = after;
  if (accountId && providerAppointmentId)
    await enqueue(tx, 'refresh_appointment', { tenantId, accountId, providerAppointmentId });
  return after;
}
