import type { Services } from '#server/core/context.ts';
import { applyStripeEvents } from '#server/subscriptions/stripe-events/apply-stripe-events.ts';

/** What the worker does within seconds: applies all that waits of Stripe's events. Tells how many objects there were. */
export async function applyWaiting(services: Services, tenantId: string): Promise<number> {
  const waiting = await services.database.forTenant(tenantId).inboundEvent.findMany({
    where: { tenantId, provider: 'stripe', processedAt: null },
    distinct: ['objectId'],
    select: { objectId: true },
  });
  for (const { objectId } of waiting) await applyStripeEvents(services, { tenantId, objectId });
  return waiting.length;
}
