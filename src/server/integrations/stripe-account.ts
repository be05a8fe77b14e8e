import type { PaymentClient } from '#contract/cards.ts';
import type { BillingSettings, UnknownSubscriptionView } from '#contract/integrations.ts';
import { ENDED_STATUSES } from '#contract/subscription-status.ts';
import type { Tenant, UnknownSubscription } from '#generated/prisma/client.ts';
import type { Config } from '#server/core/config.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { apiError, CarelaneError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import type { StripeSubscription } from '#server/providers/stripe.ts';

type TenantContext = Pick<Context, 'db' | 'tenantId'>;

/** Returns the tenant's connected account (`acct_…`), or null. */
export async function findStripeAccount(ctx: TenantContext): Promise<string | null> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'stripe' } });
  return row?.status === 'disconnected' ? null : (row?.accountId ?? null);
}

/**
 * Returns the tenant's connected account (`acct_…`).
 * @throws `integration_not_connected` (422)
 */
export async function getStripeAccount(ctx: TenantContext): Promise<string> {
  const accountId = await findStripeAccount(ctx);
  if (!accountId)
    throw apiError(
      'integration_not_connected',
      'Stripe is not connected. An administrator can connect it under Integrations.',
    );
  return accountId;
}

/** Returns the currency of the connected account as Stripe last reported it, or null. */
export async function findAccountCurrency(ctx: TenantContext): Promise<string | null> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'stripe' } });
  return (row?.settings as { default_currency?: string | null } | undefined)?.default_currency ?? null;
}

/** True when a call failed because Stripe grants no access to the account. */
export const isStripeAccessError = (error: unknown): boolean =>
  error instanceof CarelaneError && error.code === 'integration_not_connected';

/** True when a call failed because the account grants no access any more and another one has replaced it. */
export async function isFormerAccountError(ctx: TenantContext, accountId: string, error: unknown): Promise<boolean> {
  if (!isStripeAccessError(error)) return false;
  const connected = await findStripeAccount(ctx);
  return connected !== null && connected !== accountId;
}

/** Queues one job that applies the pending events of an object, at the earliest requested time. */
export const queueStripeEvents = (
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

/** How a change at Stripe was found without a webhook: in the list of events, by a comparison, or by a read. */
export type FoundBy = 'events' | 'comparison' | 'reading';

/** Records a repair of a change that no webhook reported, in the transaction of the repair. */
export async function recordStripeRepair(
  tx: Tx,
  ctx: Context,
  repair: { accountId: string; objectId: string; foundBy: FoundBy; what: string },
): Promise<void> {
  const now = ctx.clock.now();
  const { tenantId } = ctx;
  await tx.stripeRepair.create({ data: { id: newId(now), tenantId, ...repair, createdAt: now } });
  await tx.stripeReconcile.upsert({
    where: { tenantId_accountId: { tenantId, accountId: repair.accountId } },
    create: { tenantId, accountId: repair.accountId, repaired: 1 },
    update: { repaired: { increment: 1 } },
  });
}

/** The parameters with which a page opens Stripe.js for a clinic's account. */
export const paymentClientOf = ({ stripe }: Config, accountId: string): PaymentClient => ({
  publishable_key: stripe.publishableKey,
  account_id: accountId,
  script_url: stripe.scriptUrl,
});

/** Returns the clinic's billing settings. */
export async function getBillingSettings(db: Pick<Tx, 'tenant'>, tenantId: string): Promise<BillingSettings> {
  return presentSettings(await db.tenant.findUniqueOrThrow({ where: { id: tenantId } }));
}

const presentSettings = (tenant: Tenant): BillingSettings => ({
  trial_end: tenant.trialEnd as BillingSettings['trial_end'],
  trial_once: tenant.trialOnce,
  grace_days: tenant.graceDays,
  patients_may_cancel: tenant.patientsMayCancel,
  patients_may_change_plan: tenant.patientsMayChangePlan,
  proration: tenant.proration as BillingSettings['proration'],
});

export const TRIAL_KEY = 'trial_period_in_days';
const MAX_TRIAL_DAYS = 730;

/** Returns the trial in a price's metadata: whole days from 1 to 730. Any other value is no trial, and `malformed`. */
export function trialDays(metadata: Record<string, string>): { days: number | null; malformed: boolean } {
  const value = metadata[TRIAL_KEY]?.trim();
  if (value === undefined || value === '') return { days: null, malformed: false };
  const days = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  return days >= 1 && days <= MAX_TRIAL_DAYS ? { days, malformed: false } : { days: null, malformed: true };
}

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

/**
 * Stores a running subscription at Stripe whose customer is no patient here, so that an admin can attach it or leave it
 * alone. An ended one is removed.
 */
export async function saveUnknownSubscription(
  ctx: Context,
  accountId: string,
  { id, customerId, status, name }: Pick<StripeSubscription, 'id' | 'customerId' | 'status' | 'name'>,
): Promise<void> {
  const { tenantId } = ctx;
  if (ENDED_STATUSES.includes(status)) return deleteUnknownSubscription(ctx, id);
  const now = ctx.clock.now();
  const values = { accountId, customerId, status, name, seenAt: now };
  await ctx.db.unknownSubscription.upsert({
    where: { tenantId_id: { tenantId, id } },
    create: { tenantId, id, ...values, firstSeenAt: now },
    update: values,
  });
}

export async function deleteUnknownSubscription(
  { db, tenantId }: Pick<Context, 'db' | 'tenantId'>,
  id: string,
): Promise<void> {
  await db.unknownSubscription.deleteMany({ where: { tenantId, id } });
}

export const presentUnknownSubscription = (row: UnknownSubscription): UnknownSubscriptionView => ({
  id: row.id,
  customer_id: row.customerId,
  name: row.name,
  status: row.status as UnknownSubscriptionView['status'],
  first_seen_at: row.firstSeenAt.toISOString(),
});
