import type { Context } from '#server/core/context.ts';
import { accessRevokedCheck, inspectStripe } from './inspect-stripe.ts';
import { saveCheck } from './save-check.ts';

/** Processes an event of Stripe that the connected account changed, or (`gone`) that its access was revoked. */
export async function refreshStripeAccount(ctx: Context, accountId: string, gone: boolean): Promise<void> {
  const where = { tenantId: ctx.tenantId, provider: 'stripe', accountId, status: { not: 'disconnected' } };
  if ((await ctx.db.integration.count({ where })) === 0) return;
  const check = gone ? accessRevokedCheck(accountId) : await inspectStripe(ctx, accountId);
  await saveCheck(ctx, 'stripe', check);
}
