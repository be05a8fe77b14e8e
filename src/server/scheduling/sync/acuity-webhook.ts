import { createHmac } from 'node:crypto';
import { type Services, systemContext } from '#server/core/context.ts';
import { sameSecret } from '#server/core/crypto.ts';
import { apiError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { findAcuityAccount } from '#server/integrations/index.ts';
import { LARGEST_ID } from '#server/providers/scheduling-provider.ts';
import { syncAppointment } from './sync-appointment.ts';

/**
 * Receives Acuity's webhook that an appointment changed: a form with `id` and `action`, with or without the prefix
 * `appointment.`. It is stored, with the job that fetches the appointment, before the response. The signature covers no
 * timestamp, so a replay is possible and only causes another fetch.
 *
 * @throws 401 when the signature does not match the tenant's API key; 400 when action or id is missing.
 */
export async function receiveAcuityWebhook(
  services: Services,
  request: { tenantId: string; rawBody: string; header(name: string): string | null },
): Promise<void> {
  const ctx = systemContext(services, request.tenantId, 'acuity_webhook');
  const account = await findAcuityAccount(ctx);
  const signature = request.header('x-acuity-signature') ?? '';
  const expected = createHmac('sha256', account?.apiKey ?? newId())
    .update(request.rawBody)
    .digest('base64');
  if (!sameSecret(signature, expected) || !account)
    throw apiError('invalid_token', 'The signature is not that of this account.');
  const form = new URLSearchParams(request.rawBody);
  const action = (form.get('action') ?? '').replace(/^appointment\./, '');
  const objectId = form.get('id') ?? '';
  if (!/^[a-z_.]{1,60}$/.test(action) || !/^\d{1,10}$/.test(objectId) || Number(objectId) > LARGEST_ID)
    throw apiError('malformed_request', 'The event must carry an action and an id.');
  if (action.startsWith('order.')) return;
  const { tenantId } = ctx;
  const now = services.clock.now();
  const id = newId(now);
  await ctx.db.$transaction(async (tx) => {
    await tx.inboundEvent.create({
      data: {
        tenantId,
        provider: 'acuity',
        id,
        accountId: account.accountId,
        eventType: `appointment.${action}`,
        objectId,
        receivedAt: now,
      },
    });
    await enqueue(tx, 'process_inbound_event', { tenantId, provider: 'acuity', id });
  });
}

/**
 * Fetches the appointment of a stored webhook and syncs the local one. One fetch serves every webhook that arrived
 * before it. Throws when Acuity is unreachable, so that the job runs again.
 */
export async function processAcuityEvent(
  services: Services,
  { tenantId, id }: Jobs['process_inbound_event'],
): Promise<void> {
  const ctx = systemContext(services, tenantId, 'acuity_webhook');
  const where = { tenantId_provider_id: { tenantId, provider: 'acuity', id } };
  const event = await ctx.db.inboundEvent.findUnique({ where });
  if (!event || event.processedAt) return;
  const startedAt = services.clock.now();
  const account = await findAcuityAccount(ctx);
  try {
    if (account) await syncAppointment(ctx, account, Number(event.objectId));
  } catch (error) {
    await ctx.db.inboundEvent.update({
      where,
      data: { attempts: { increment: 1 }, lastError: (error as Error).message.slice(0, 500) },
    });
    throw error;
  }
  const { objectId } = event;
  await ctx.db.inboundEvent.updateMany({
    where: { tenantId, provider: 'acuity', objectId, processedAt: null, receivedAt: { lte: startedAt } },
    data: { processedAt: services.clock.now(), attempts: { increment: 1 }, lastError: null },
  });
}
