import type { Finding, IntegrationProvider, IntegrationView } from '#contract/integrations.ts';
import type { Integration } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { type EventName, record } from '#server/core/record.ts';

export type Check = {
  /** The inspected account, in case another one has been connected since. */
  accountId?: string;
  /** When the inspection began. */
  checkedAt: Date;
  status: IntegrationView['status'];
  details: Details;
  requirements?: string[];
  findings: Finding[];
  /** The provider did not return its settings: `details` are the previous ones. */
  isUnread?: boolean;
};

/**
 * Stores the result of an inspection. A change of status is an event: `integration.degraded`, `.recovered` or
 * `.disconnected`. A row that was disconnected, has another account by now, or an inspection that began later, is not
 * changed.
 */
export const saveCheck = (ctx: Context, provider: IntegrationProvider, check: Check): Promise<void> =>
  ctx.db.$transaction((tx) => applyCheck(tx, ctx, provider, check));

/** `saveCheck` within a transaction. */
export async function applyCheck(tx: Tx, ctx: Context, provider: IntegrationProvider, check: Check): Promise<void> {
  await tx.$queryRaw`select 1 from integrations
    where tenant_id = ${ctx.tenantId}::uuid and provider = ${provider} for update`;
  const id = { tenantId_provider: { tenantId: ctx.tenantId, provider } };
  const before = await tx.integration.findUniqueOrThrow({ where: id });
  const isOtherAccount = check.accountId !== undefined && before.accountId !== check.accountId;
  const now = ctx.clock.now();
  const isOutdated = before.checkedAt !== null && check.checkedAt < before.checkedAt && before.checkedAt <= now;
  if (isOtherAccount || isOutdated || before.status === 'disconnected') return;
  const after = await tx.integration.update({ where: id, data: columnsOf(check) });
  const event = transition(before.status, check.status);
  if (event)
    await record(tx, ctx, {
      action: 'integrations.check',
      object: { type: 'Integration', id: provider },
      event,
      payload: presentIntegration(ctx, provider, after),
      details: { from: before.status, to: check.status },
    });
  if (provider === 'stripe' && check.status === 'disconnected') await endPaymentLinks(tx, ctx);
}

/** The columns of a check. */
export const columnsOf = ({ status, details, requirements, findings, checkedAt }: Check) => ({
  status,
  findings,
  settings: { ...details, ...(requirements && { requirements }) },
  checkedAt,
});

function transition(from: string, to: IntegrationView['status']): EventName | null {
  if (from === to) return null;
  if (to === 'degraded') return 'integration.degraded';
  if (to === 'disconnected') return 'integration.disconnected';
  return 'integration.recovered';
}

/** Ends the payment links of an account that is not connected any more. */
export async function endPaymentLinks(tx: Tx, { tenantId, clock }: Pick<Context, 'tenantId' | 'clock'>): Promise<void> {
  await tx.checkoutLink.updateMany({
    where: { tenantId, endedAt: null, completedAt: null },
    data: { token: null, endedAt: clock.now() },
  });
}

export type Details = IntegrationView['details'];
/** The `settings` column: details from the provider, and the requirements that it still has. */
type StoredSettings = Details & { requirements?: string[] };

/** Presents a provider's state without its credentials; one that was never connected is `disconnected`. */
export function presentIntegration(
  { config }: Pick<Context, 'config'>,
  provider: IntegrationProvider,
  row: Integration | null,
): IntegrationView {
  const { requirements = [], ...details } = (row?.settings as StoredSettings | undefined) ?? {};
  return {
    provider,
    status: (row?.status as IntegrationView['status'] | undefined) ?? 'disconnected',
    account_id: row?.accountId ?? null,
    publishable_key: provider === 'stripe' ? config.stripe.publishableKey : null,
    details: details as Details,
    requirements,
    findings: (row?.findings as Finding[] | undefined) ?? [],
    checked_at: row?.checkedAt?.toISOString() ?? null,
  };
}
