import type { Services } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { isRelevantEvent, storeEvent } from '#server/integrations/index.ts';

type StripeDelivery = { rawBody: string; header: (name: string) => string | null };

/**
 * Stores one signed Stripe event and acknowledges it without a call to Stripe; a job applies it. Events of unknown
 * accounts, of the other mode or of other types are acknowledged and ignored.
 * @throws `malformed_request` (400) without a Stripe signature from the last five minutes
 */
export async function receiveStripeWebhook(services: Services, { rawBody, header }: StripeDelivery): Promise<void> {
  const event = services.providers
    .stripeClient(services)
    .readEvent(rawBody, header('stripe-signature') ?? '', services.clock.now());
  if (!event) throw apiError('malformed_request', 'This is not an event with a valid, recent Stripe signature.');
  if (!event.account || !isRelevantEvent(services, event)) return;
  for (const tenantId of await services.database.tenantsOf(`stripe:${event.account}`))
    await storeEvent(services, tenantId, { accountId: event.account, event });
}
