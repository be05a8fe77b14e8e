import { SECOND } from '#server/core/clock.ts';
import { type Services, systemContext } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { enqueue } from '#server/core/jobs.ts';
import { type Event, stripeOf } from '#server/providers/stripe.ts';
import { inboundTarget } from './inbound-target.ts';
import { processStripeEvent } from './process-stripe-event.ts';

/** The queued job is the safety net: it runs only where dealing with the event at once did not end. */
const SAFETY_NET_AFTER = 30 * SECOND;

export type StripeDelivery = { rawBody: string; header: (name: string) => string | null };

/**
 * Takes one signed event: stored before it is acknowledged, then dealt with at once. Not signed by Stripe within five
 * minutes → 400 `malformed_request`. Events of accounts that no tenant has, of the other mode or about nothing of ours
 * are acknowledged and left alone.
 */
export async function receiveStripeWebhook(services: Services, { rawBody, header }: StripeDelivery): Promise<void> {
  const event = stripeOf(services).readEvent(rawBody, header('stripe-signature') ?? '', services.clock.now());
  if (!event) throw refuse('malformed_request', 'This is no event with a valid, recent Stripe signature.');
  const target = inboundTarget(event);
  if (!target || !event.account || event.livemode !== (services.config.environment === 'production')) return;
  for (const tenantId of await services.database.tenantsOf(`stripe:${event.account}`)) {
    await store(services, tenantId, event, target);
    const job = { tenantId, provider: 'stripe', id: event.id };
    try {
      await processStripeEvent(services, job);
    } catch (error) {
      services.log.warn({ event: event.id, err: (error as Error).message }, 'a Stripe event waits for its job');
    }
  }
}

async function store(services: Services, tenantId: string, event: Event, target: string): Promise<void> {
  const ctx = systemContext(services, tenantId, 'stripe_webhook');
  const now = ctx.clock.now();
  await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.inboundEvent.createMany({
      data: [{ tenantId, provider: 'stripe', id: event.id, eventType: event.type, objectId: target, receivedAt: now }],
      skipDuplicates: true,
    });
    if (count === 0) return;
    const job = { tenantId, provider: 'stripe', id: event.id };
    await enqueue(tx, 'process_inbound_event', job, { runAt: new Date(now.getTime() + SAFETY_NET_AFTER) });
  });
}
