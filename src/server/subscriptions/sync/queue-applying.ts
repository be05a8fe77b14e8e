import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { enqueue } from '#server/core/jobs.ts';

/** Has what waits of Stripe's events about an object applied: by one job, at the earliest time that anybody asked for. */
export const queueApplying = (
  tx: Pick<Tx, '$executeRaw'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  objectId: string,
  runAt: Date,
): Promise<void> =>
  enqueue(
    tx,
    'apply_stripe_events',
    { tenantId, objectId },
    { runAt, key: `stripe:${tenantId}:${objectId}`, keepEarlier: true },
  );
