import { ENDED_STATUSES } from '#contract/ended-statuses.ts';
import type { Finding } from '#contract/integrations.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { type Price, stripeOf } from '#server/providers/stripe.ts';
import { requirementLabels } from './requirement-labels.ts';
import { type Check, saveCheck } from './save-check.ts';
import { accountFindings, keyFindings, listFirst, priceFindings } from './stripe-findings.ts';

const counted = (count: number, one: string, many: string): string => (count === 1 ? `One ${one}` : `${count} ${many}`);

/** The finding that webhooks have stopped, so changes at Stripe are seen late. */
async function silenceFindings({ db, tenantId }: Context, accountId: string): Promise<Finding[]> {
  const row = await db.stripeReconcile.findFirst({ where: { tenantId, accountId } });
  if (!row?.silentSince) return [];
  const message =
    'Stripe does not tell this service of changes at the moment: its webhooks do not arrive. Changes are looked for and seen late.';
  const fix = 'Check the webhook under Developers at Stripe: its address and its signing secret.';
  return [{ code: 'webhooks_silent', message, fix }];
}

/** Findings about stored subscriptions that no longer match what the account offers. */
async function copyFindings({ db, tenantId }: Context, accountId: string, prices: Price[]): Promise<Finding[]> {
  const used = await db.$queryRaw<{ price: string; account: string; count: number }[]>`
    select item->>'price_id' as price, account_id as account, count(*)::int as count
    from subscriptions cross join lateral jsonb_array_elements(items) as item
    where tenant_id = ${tenantId}::uuid and status <> all(${ENDED_STATUSES}::text[])
    group by 1, 2 order by 3 desc, 1`;
  const offered = new Set(prices.filter(({ product }) => product.active).map(({ id }) => id));
  const archived = used.filter(({ price, account }) => account === accountId && !offered.has(price));
  const left = used.filter(({ account }) => account !== accountId);
  const deleted = await db.processorCustomer.count({ where: { tenantId, accountId, deletedAt: { not: null } } });
  const findings: Finding[] = [];
  if (archived.length > 0) {
    const count = archived.reduce((sum, one) => sum + one.count, 0);
    findings.push({
      code: 'price_archived',
      message: `${counted(count, 'subscription runs', 'subscriptions run')} on prices that are no longer on offer (${listFirst(archived.map(({ price }) => price))}). They renew as before; new patients cannot choose them.`,
      fix: 'To end that, move the subscriptions to another price, or cancel them.',
    });
  }
  if (left.length > 0) {
    const count = left.reduce((sum, one) => sum + one.count, 0);
    const accounts = [...new Set(left.map(({ account }) => account))];
    findings.push({
      code: 'former_account',
      message: `${counted(count, 'subscription belongs', 'subscriptions belong')} to an account that is no longer connected (${listFirst(accounts)}). What happens to them there is not seen here.`,
      fix: 'Cancel them under Subscriptions (at Stripe too when that account gives no access any more), and subscribe the patients again.',
    });
  }
  if (deleted > 0)
    findings.push({
      code: 'customers_deleted',
      message: `${counted(deleted, 'patient was deleted as a customer', 'patients were deleted as customers')} at Stripe, which ended their subscriptions.`,
      fix: 'Nothing has to be done: the next subscription makes a new customer.',
      advice: true,
    });
  return findings;
}

/**
 * Inspects the connected account. It is ready once charges are enabled and all details are submitted (Stripe, "Connect
 * onboarding": reaching the return URL means nothing).
 */
export async function inspectStripe(ctx: Context, accountId: string): Promise<Check> {
  const stripe = stripeOf(ctx);
  try {
    const account = await stripe.getAccount(accountId);
    const prices = await stripe.listPrices(accountId);
    // Findings that affect payments or the events about them.
    const hindering = [...keyFindings(ctx.config), ...(await silenceFindings(ctx, accountId))];
    const isReady = account.charges_enabled && account.details_submitted;
    return {
      accountId,
      status: isReady && hindering.length === 0 ? 'connected' : 'degraded',
      details: {
        charges_enabled: account.charges_enabled,
        payouts_enabled: account.payouts_enabled,
        details_submitted: account.details_submitted,
        country: account.country ?? null,
        default_currency: account.default_currency ?? null,
        active_prices: prices.length,
      },
      requirements: requirementLabels(account.requirements?.currently_due ?? []),
      findings: [
        ...hindering,
        ...accountFindings(account),
        // Prices do not matter until charges are enabled.
        ...(isReady ? priceFindings(prices, account) : []),
        ...(await copyFindings(ctx, accountId, prices)),
      ],
    };
  } catch (error) {
    if (!(error instanceof CarelaneError) || error.code !== 'integration_not_connected') throw error;
    return accessRevokedCheck(accountId);
  }
}

const ACCESS_REVOKED = 'access_revoked';

/** The holder revoked the access or closed the account, or the service's key belongs to another platform. */
const accessRevokedCheck = (accountId: string): Check => ({
  accountId,
  status: 'disconnected',
  details: {},
  findings: [
    {
      code: ACCESS_REVOKED,
      message: 'Stripe gives no access to this account any more.',
      fix: 'Connect Stripe again: the account comes back if Stripe gives access to it again; otherwise a new one is made.',
    },
  ],
});

/** Filters integrations that lost access to their account, unlike those that an admin disconnected. */
export const WITHOUT_ACCESS = {
  provider: 'stripe',
  status: 'disconnected',
  findings: { array_contains: [{ code: ACCESS_REVOKED }] },
};

/** Processes an event of Stripe that the connected account changed, or (`isRevoked`) that its access was revoked. */
export async function refreshStripeAccount(ctx: Context, accountId: string, isRevoked: boolean): Promise<void> {
  const where = { tenantId: ctx.tenantId, provider: 'stripe', accountId, status: { not: 'disconnected' } };
  if ((await ctx.db.integration.count({ where })) === 0) return;
  const check = isRevoked ? accessRevokedCheck(accountId) : await inspectStripe(ctx, accountId);
  await saveCheck(ctx, 'stripe', check);
}

/**
 * Notes when webhooks have stopped: an event from Stripe's list has waited for its webhook longer than the bound, and
 * no webhook has arrived since. Emits `integration.degraded`, and `integration.recovered` when one arrives again.
 */
export async function recordStripeSilence(ctx: Context, accountId: string): Promise<void> {
  const { tenantId, db, clock, config } = ctx;
  const since = await silentSince(ctx, accountId);
  const where = { tenantId, accountId };
  const before = await db.stripeReconcile.findFirst({ where });
  const isLong = since !== null && clock.now().getTime() - since.getTime() >= config.stripe.reconcileMs;
  if (isLong === (before?.silentSince !== null)) return;
  await db.stripeReconcile.updateMany({ where, data: { silentSince: isLong ? since : null } });
  await saveCheck(ctx, 'stripe', await inspectStripe(ctx, accountId));
}

/** The time of the first event after the last webhook that no webhook delivered, or null. */
async function silentSince({ db, tenantId }: Context, accountId: string): Promise<Date | null> {
  const [row] = await db.$queryRaw<{ since: Date | null }[]>`
    select min(received_at) as since from inbound_events
    where tenant_id = ${tenantId}::uuid and provider = 'stripe' and account_id = ${accountId}
      and found_by is not null and delivered_at is null
      and received_at > coalesce((
        select max(greatest(received_at, delivered_at)) from inbound_events
        where tenant_id = ${tenantId}::uuid and provider = 'stripe' and account_id = ${accountId}
          and (found_by is null or delivered_at is not null)), '-infinity')`;
  return row?.since ?? null;
}
