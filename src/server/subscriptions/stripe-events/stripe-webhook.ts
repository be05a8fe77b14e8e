import type { Services } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { isOurs, storeEvent } from '#server/integrations/stripe-inbound.ts';
import { stripeOf } from '#server/providers/stripe.ts';

export type StripeDelivery = { rawBody: string; header: (name: string) => string | null };

/**
 * Takes one signed event: it is stored, and acknowledged without Stripe having been asked anything; a job applies it. Not
 * signed by Stripe within five minutes → 400 `malformed_request`. Events of accounts that no tenant has, of the other mode
 * or about nothing of ours are acknowledged and left alone.
 */
export async function receiveStripeWebhook(services: Services, { rawBody, header }: StripeDelivery): Promise<void> {
  const event = stripeOf(services).readEvent(rawBody, header('stripe-signature') ?? '', services.clock.now());
  if (!event) throw refuse('malformed_request', 'This is no event with a valid, recent Stripe signature.');
  if (!event.account || !isOurs(services, event)) return;
  for (const tenantId of await services.database.tenantsOf(`stripe:${event.account}`))
    await storeEvent(services, tenantId, { accountId: event.account, event });
}
