import type { StripeRepairView, StripeSyncView } from '#contract/integrations.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { presentUnknownSubscription } from './unknown-subscriptions.ts';

const SHOWN = 10;
const MOST_UNKNOWN = 50;

/** The state of the synchronisation with an account at Stripe. */
export async function getStripeSync(
  { db, tenantId, config }: Pick<Context, 'tenantId' | 'config'> & { db: Tx },
  accountId: string,
): Promise<StripeSyncView> {
  const where = { tenantId, accountId };
  const [state, webhook, repairs, unknown] = await Promise.all([
    db.stripeReconcile.findFirst({ where }),
    lastWebhookAt({ db, tenantId }, accountId),
    db.stripeRepair.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: SHOWN }),
    db.unknownSubscription.findMany({
      where: { ...where, leftAloneAt: null },
      orderBy: [{ firstSeenAt: 'desc' }, { id: 'asc' }],
      take: MOST_UNKNOWN,
    }),
  ]);
  return {
    last_webhook_at: webhook?.toISOString() ?? null,
    last_reconcile_at: state?.lastRunAt?.toISOString() ?? null,
    answered: !state?.lastError,
    compared_at: state?.passEndedAt?.toISOString() ?? null,
    compared: state?.compared ?? 0,
    bound_seconds: config.stripe.reconcileMs / 1000,
    repaired: Number(state?.repaired ?? 0),
    repairs: repairs.map(({ id, objectId, foundBy, what, createdAt }) => ({
      id,
      object_id: objectId,
      found_by: foundBy as StripeRepairView['found_by'],
      what,
      created_at: createdAt.toISOString(),
    })),
    unknown: unknown.map(presentUnknownSubscription),
  };
}

/** When a webhook last delivered an event, including one that was found in the list first. */
async function lastWebhookAt({ db, tenantId }: Pick<Context, 'tenantId'> & { db: Tx }, accountId: string) {
  const [row] = await db.$queryRaw<{ at: Date | null }[]>`
    select greatest(
      (select max(received_at) from inbound_events
        where tenant_id = ${tenantId}::uuid and provider = 'stripe' and account_id = ${accountId} and found_by is null),
      (select max(delivered_at) from inbound_events
        where tenant_id = ${tenantId}::uuid and provider = 'stripe' and account_id = ${accountId}
          and delivered_at is not null)) as at`;
  return row?.at ?? null;
}
