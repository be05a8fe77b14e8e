import { ENDED_STATUSES } from '#contract/ended-statuses.ts';
import type { Finding } from '#contract/integrations.ts';
import type { Context } from '#server/core/context.ts';
import type { Price } from '#server/providers/stripe.ts';

const SHOWN = 5;
const some = (ids: string[]): string =>
  ids.length > SHOWN ? `${ids.slice(0, SHOWN).join(', ')} and ${ids.length - SHOWN} more` : ids.join(', ');
const counted = (count: number, one: string, many: string): string => (count === 1 ? `One ${one}` : `${count} ${many}`);

/** The finding that webhooks have stopped, so changes at Stripe are seen late. */
export async function silenceFindings({ db, tenantId }: Context, accountId: string): Promise<Finding[]> {
  const row = await db.stripeReconcile.findFirst({ where: { tenantId, accountId } });
  if (!row?.silentSince) return [];
  const message =
    'Stripe does not tell this service of changes at the moment: its webhooks do not arrive. Changes are looked for and seen late.';
  const fix = 'Check the webhook under Developers at Stripe: its address and its signing secret.';
  return [{ code: 'webhooks_silent', message, fix }];
}

/** Findings about stored subscriptions that no longer match what the account offers. */
export async function copyFindings({ db, tenantId }: Context, accountId: string, prices: Price[]): Promise<Finding[]> {
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
      message: `${counted(count, 'subscription runs', 'subscriptions run')} on prices that are no longer on offer (${some(archived.map(({ price }) => price))}). They renew as before; new patients cannot choose them.`,
      fix: 'To end that, move the subscriptions to another price, or cancel them.',
    });
  }
  if (left.length > 0) {
    const count = left.reduce((sum, one) => sum + one.count, 0);
    const accounts = [...new Set(left.map(({ account }) => account))];
    findings.push({
      code: 'former_account',
      message: `${counted(count, 'subscription belongs', 'subscriptions belong')} to an account that is no longer connected (${some(accounts)}). What happens to them there is not seen here.`,
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
