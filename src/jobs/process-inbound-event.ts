import type { Services } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { processAcuityEvent } from '#server/scheduling/index.ts';
import { processStripeEvent } from '#server/subscriptions/index.ts';

/** Processes an event that the webhook handler stored. */
export function processInboundEvent(services: Services, payload: Jobs['process_inbound_event']): Promise<void> {
  return payload.provider === 'acuity' ? processAcuityEvent(services, payload) : processStripeEvent(services, payload);
}
