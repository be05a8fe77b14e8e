import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';

/** Statuses in which the latest bill is owed. */
const OWING = ['past_due', 'unpaid'];

/**
 * Updates until when access continues while a bill is unpaid: the clinic's grace days, counted from the oldest open
 * bill after the last paid one. It depends on Stripe's dates only, so it is independent of the order of events. Applies
 * to one subscription, or to all that owe something.
 * A bill is stored by the sync of the subscription or of its payments; the earlier one counts.
 */
export async function updateGrace(
  tx: Tx,
  { tenantId }: Pick<Context, 'tenantId'>,
  subscriptionId: string | null = null,
): Promise<void> {
  const which =
    subscriptionId === null
      ? Prisma.sql`(s.status = any(${OWING}::text[]) or s.grace_until is not null)`
      : Prisma.sql`s.id = ${subscriptionId}`;
  await tx.$executeRaw`
    with reckoned as (
      select s.id, case when s.status = any(${OWING}::text[]) then
        coalesce(
          least(bill.since, case when s.latest_invoice->>'status' in ('open', 'uncollectible') then s.invoiced_at end),
          s.invoiced_at, s.current_period_start) + make_interval(days => t.grace_days) end as until
      from subscriptions s
      join tenants t on t.id = s.tenant_id
      left join lateral (
        select min(p.created_at) as since from payments p
        where p.tenant_id = s.tenant_id and p.subscription_id = s.id and p.status in ('open', 'uncollectible')
          and p.created_at > coalesce((
            select max(paid.created_at) from payments paid
            where paid.tenant_id = s.tenant_id and paid.subscription_id = s.id and paid.status = 'paid'), '-infinity')
      ) as bill on true
      where s.tenant_id = ${tenantId}::uuid and ${which}
    )
    update subscriptions s set grace_until = reckoned.until from reckoned
    where s.tenant_id = ${tenantId}::uuid and s.id = reckoned.id and s.grace_until is distinct from reckoned.until`;
}

/** True when a grace period applies, or has to be removed. */
export const hasGrace = ({ status, graceUntil }: { status: string; graceUntil: Date | null }): boolean =>
  OWING.includes(status) || graceUntil !== null;
