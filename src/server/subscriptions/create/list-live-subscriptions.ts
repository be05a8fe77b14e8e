import type { Subscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { ENDED } from '../records/subscription.ts';
import type { Intent } from './intent.ts';

/** Lists a patient's subscriptions that have not ended, oldest first, and the creates whose outcome is unknown. */
export async function listLiveSubscriptions(
  db: Pick<Tx, 'subscription' | 'subscriptionIntent'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  patientId: string,
): Promise<{ subscriptions: Subscription[]; intents: Intent[] }> {
  const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];
  const subscriptions = await db.subscription.findMany({
    where: { tenantId, patientId, status: { notIn: ENDED } },
    orderBy,
  });
  const intents = await db.subscriptionIntent.findMany({ where: { tenantId, patientId, status: 'pending' }, orderBy });
  return { subscriptions, intents: intents as Intent[] };
}
