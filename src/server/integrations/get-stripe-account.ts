import type { Context } from '#server/core/context.ts';
import { apiError, CarelaneError } from '#server/core/errors.ts';

type Needs = Pick<Context, 'db' | 'tenantId'>;

/** Returns the tenant's connected account (`acct_…`), or null. */
export async function findStripeAccount(ctx: Needs): Promise<string | null> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'stripe' } });
  return row?.status === 'disconnected' ? null : (row?.accountId ?? null);
}

/**
 * Returns the tenant's connected account (`acct_…`).
 * @throws `integration_not_connected` (422)
 */
export async function getStripeAccount(ctx: Needs): Promise<string> {
  const accountId = await findStripeAccount(ctx);
  if (!accountId)
    throw apiError(
      'integration_not_connected',
      'Stripe is not connected. An administrator can connect it under Integrations.',
    );
  return accountId;
}

/** True when a call failed because Stripe grants no access to the account. */
export const isStripeAccessError = (error: unknown): boolean =>
  error instanceof CarelaneError && error.code === 'integration_not_connected';

/** True when a call failed because the account grants no access any more and another one has replaced it. */
export async function isFormerAccountError(ctx: Needs, accountId: string, error: unknown): Promise<boolean> {
  if (!isStripeAccessError(error)) return false;
  const connected = await findStripeAccount(ctx);
  return connected !== null && connected !== accountId;
}
