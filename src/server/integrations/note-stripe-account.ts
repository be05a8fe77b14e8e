import type { Context } from '#server/core/context.ts';
import { goneCheck, inspectStripe } from './inspect-stripe.ts';
import { saveCheck } from './save-check.ts';

/** Stripe told that the connected account changed, or that this service has no access to it any more. */
export async function noteStripeAccount(ctx: Context, accountId: string, gone: boolean): Promise<void> {
  const where = { tenantId: ctx.tenantId, provider: 'stripe', accountId, status: { not: 'disconnected' } };
  if ((await ctx.db.integration.count({ where })) === 0) return;
  const check = gone ? goneCheck(accountId) : await inspectStripe(ctx, accountId);
  await saveCheck(ctx, 'stripe', check);
}
