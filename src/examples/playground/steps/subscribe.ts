import type { Subscription } from './api-types.ts';
import { callApi } from './call-api.ts';
import { withIdempotencyKey } from './idempotency.ts';

/**
 * Starts a subscription. It stays `incomplete` until it is paid; `next_action` is
 * the next step.
 */
export const subscribe = (
  patientId: string,
  priceId: string,
): Promise<Subscription> =>
  withIdempotencyKey(`subscribe ${priceId}`, (idempotencyKey) =>
    callApi('POST', '/subscriptions', {
      body: { patient_id: patientId, price_ids: [priceId] },
      idempotencyKey,
    }),
  );
