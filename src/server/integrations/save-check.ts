import type { Finding, IntegrationProvider, IntegrationView } from '#contract/settings.ts';
import type { Context } from '#server/core/context.ts';
import { type EventName, record } from '#server/core/record.ts';
import { type Details, presentIntegration } from './present-integration.ts';

export type Check = { status: IntegrationView['status']; details: Details; findings: Finding[] };

/**
 * Keeps what a look at the provider found. A change of status is an event: `integration.degraded`, `.recovered` or
 * `.disconnected`.
 */
export async function saveCheck(ctx: Context, provider: IntegrationProvider, check: Check): Promise<IntegrationView> {
  return ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`select 1 from integrations
      where tenant_id = ${ctx.tenantId}::uuid and provider = ${provider} for update`;
    const id = { tenantId_provider: { tenantId: ctx.tenantId, provider } };
    const before = await tx.integration.findUniqueOrThrow({ where: id });
    const after = await tx.integration.update({
      where: id,
      data: { status: check.status, findings: check.findings, settings: check.details, checkedAt: ctx.clock.now() },
    });
    const view = presentIntegration(provider, after);
    const event = transition(before.status, check.status);
    if (event)
      await record(tx, ctx, {
        action: 'integrations.check',
        object: { type: 'Integration', id: provider },
        event,
        payload: view,
        details: { from: before.status, to: check.status },
      });
    return view;
  });
}

function transition(from: string, to: IntegrationView['status']): EventName | null {
  if (from === to) return null;
  if (to === 'degraded') return 'integration.degraded';
  if (to === 'disconnected') return 'integration.disconnected';
  return 'integration.recovered';
}
