import { type Services, systemContext } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { findAcuityAccount } from '#server/integrations/get-acuity-account.ts';
import { convergeAppointment } from './converge-appointment.ts';

/**
 * Fetches the appointment that a stored webhook is about and makes ours agree. One look serves every event that had
 * arrived before it. Throws when Acuity cannot be asked, so that the job runs again.
 */
export async function processAcuityEvent(
  services: Services,
  { tenantId, id }: Jobs['process_inbound_event'],
): Promise<void> {
  const ctx = systemContext(services, tenantId, 'acuity_webhook');
  const where = { tenantId_provider_id: { tenantId, provider: 'acuity', id } };
  const event = await ctx.db.inboundEvent.findUnique({ where });
  if (!event || event.processedAt) return;
  const begun = services.clock.now();
  const account = await findAcuityAccount(ctx);
  try {
    if (account) await convergeAppointment(ctx, account.acuity, Number(event.objectId));
  } catch (error) {
    await ctx.db.inboundEvent.update({
      where,
      data: { attempts: { increment: 1 }, lastError: (error as Error).message.slice(0, 500) },
    });
    throw error;
  }
  const { objectId } = event;
  await ctx.db.inboundEvent.updateMany({
    where: { tenantId, provider: 'acuity', objectId, processedAt: null, receivedAt: { lte: begun } },
    data: { processedAt: services.clock.now(), attempts: { increment: 1 }, lastError: null },
  });
}
