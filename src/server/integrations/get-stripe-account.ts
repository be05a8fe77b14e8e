import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';

/** The tenant's connected account (`acct_…`), or 422 `integration_not_connected`. */
export async function getStripeAccount(ctx: Pick<Context, 'db' | 'tenantId'>): Promise<string> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'stripe' } });
  if (!row?.accountId || row.status === 'disconnected')
    throw refuse(
      'integration_not_connected',
      'Stripe is not connected. An administrator can connect it under Integrations.',
    );
  return row.accountId;
}
