import type { Subscription } from './api-types.ts';
import { callApi } from './call-api.ts';
import { withIdempotencyKey } from './idempotency.ts';

/** Cancels at the end of the paid period, or immediately. */
export const cancelSubscription = (
  id: string,
  atPeriodEnd: boolean,
): Promise<Subscription> =>
  withIdempotencyKey(`end ${id} ${atPeriodEnd}`, (idempotencyKey) =>
    callApi('POST', `/subscriptions/${id}/cancel`, {
      body: { cancel_at_period_end: atPeriodEnd },
      idempotencyKey,
    }),
  );
