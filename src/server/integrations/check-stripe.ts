import type { IntegrationView } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { getStripeAccount } from './get-stripe-account.ts';
import { inspectStripe } from './inspect-stripe.ts';
import { getStripeIntegration } from './list-integrations.ts';
import { saveCheck } from './save-check.ts';

/** Inspects the connection to Stripe now and stores the findings. */
export async function checkStripe(ctx: Context): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  await saveCheck(ctx, 'stripe', await inspectStripe(ctx, await getStripeAccount(ctx)));
  return getStripeIntegration(ctx);
}
