import type { Context } from '#server/core/context.ts';
import { CarelaneError, refuse } from '#server/core/errors.ts';

type Needs = Pick<Context, 'db' | 'tenantId'>;

/** The tenant's connected account (`acct_…`), or null where none is connected. */
export async function findStripeAccount(ctx: Needs): Promise<string | null> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'stripe' } });
  return row?.status === 'disconnected' ? null : (row?.accountId ?? null);
}

/** The tenant's connected account (`acct_…`), or 422 `integration_not_connected`. */
export async function getStripeAccount(ctx: Needs): Promise<string> {
  const accountId = await findStripeAccount(ctx);
  if (!accountId)
    throw refuse(
      'integration_not_connected',
      'Stripe is not connected. An administrator can connect it under Integrations.',
    );
  return accountId;
}

/** Whether a call failed because Stripe gives no access to the account. */
export const isWithoutAccess = (error: unknown): boolean =>
  error instanceof CarelaneError && error.code === 'integration_not_connected';

/** Whether a call about this account failed because it gives no access any more, and another one has replaced it. */
export async function isOutOfReach(ctx: Needs, accountId: string, error: unknown): Promise<boolean> {
  if (!isWithoutAccess(error)) return false;
  const connected = await findStripeAccount(ctx);
  return connected !== null && connected !== accountId;
}
