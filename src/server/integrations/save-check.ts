import type { Finding, IntegrationProvider, IntegrationView } from '#contract/integrations.ts';
import type { Context } from '#server/core/context.ts';
import { type EventName, record } from '#server/core/record.ts';
import { endPaymentLinks } from './end-payment-links.ts';
import { type Details, presentIntegration } from './present-integration.ts';

export type Check = {
  /** The account that was looked at, where another may have taken its place meanwhile. */
  accountId?: string;
  status: IntegrationView['status'];
  details: Details;
  requirements?: string[];
  findings: Finding[];
};

/**
 * Keeps what a look at the provider found. A change of status is an event: `integration.degraded`, `.recovered` or
 * `.disconnected`. What was disconnected, or gave its place to another account while it was looked at, stays as it is.
 */
export async function saveCheck(ctx: Context, provider: IntegrationProvider, check: Check): Promise<IntegrationView> {
  return ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`select 1 from integrations
      where tenant_id = ${ctx.tenantId}::uuid and provider = ${provider} for update`;
    const id = { tenantId_provider: { tenantId: ctx.tenantId, provider } };
    const before = await tx.integration.findUniqueOrThrow({ where: id });
    const isOthers = check.accountId !== undefined && before.accountId !== check.accountId;
    if (isOthers || before.status === 'disconnected') return presentIntegration(ctx, provider, before);
    const { status, details, requirements, findings } = check;
    const settings = { ...details, ...(requirements && { requirements }) };
    const after = await tx.integration.update({
      where: id,
      data: { status, findings, settings, checkedAt: ctx.clock.now() },
    });
    const view = presentIntegration(ctx, provider, after);
    const event = transition(before.status, status);
    if (event)
      await record(tx, ctx, {
        action: 'integrations.check',
        object: { type: 'Integration', id: provider },
        event,
        payload: view,
        details: { from: before.status, to: status },
      });
    if (provider === 'stripe' && status === 'disconnected') await endPaymentLinks(tx, ctx);
    return view;
  });
}

function transition(from: string, to: IntegrationView['status']): EventName | null {
  if (from === to) return null;
  if (to === 'degraded') return 'integration.degraded';
  if (to === 'disconnected') return 'integration.disconnected';
  return 'integration.recovered';
}
