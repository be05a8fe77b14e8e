import type { Services } from '#server/core/context.ts';
import { applyStripeEvents } from '#server/subscriptions/stripe-events/apply-stripe-events.ts';

/** Applies all pending Stripe events, as the worker does within seconds. @returns the number of objects that had any */
export async function applyPendingEvents(services: Services, tenantId: string): Promise<number> {
  const waiting = await services.database.forTenant(tenantId).inboundEvent.findMany({
    where: { tenantId, provider: 'stripe', processedAt: null },
    distinct: ['objectId'],
    select: { objectId: true },
  });
  for (const { objectId } of waiting) await applyStripeEvents(services, { tenantId, objectId });
  return waiting.length;
}
