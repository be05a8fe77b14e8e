import type { Context } from '#server/core/context.ts';
import { goneCheck, inspectStripe } from './inspect-stripe.ts';
import { saveCheck } from './save-check.ts';

/** Stripe told that the connected account changed, or that its holder took our access away. */
export async function noteStripeAccount(ctx: Context, accountId: string, gone: boolean): Promise<void> {
  const where = { tenantId: ctx.tenantId, provider: 'stripe', accountId, status: { not: 'disconnected' } };
  if ((await ctx.db.integration.count({ where })) === 0) return;
  const message = "The account's holder took this service's access away.";
  const check = gone ? goneCheck(accountId, message) : await inspectStripe(ctx, accountId);
  await saveCheck(ctx, 'stripe', check);
}
