import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { stripeOf } from '#server/providers/stripe.ts';
import { getStripeAccount } from './get-stripe-account.ts';

/** Stripe's page where the account's holder gives its details; it opens once and for minutes only. */
export async function createOnboardingLink(ctx: Context): Promise<{ url: string; expires_at: string }> {
  requireAdmin(ctx.actor);
  const page = `${ctx.config.publicUrl}/settings/integrations`;
  const link = await stripeOf(ctx).createOnboardingLink(await getStripeAccount(ctx), {
    refresh_url: `${page}?stripe=expired`,
    return_url: `${page}?stripe=returned`,
  });
  return { url: link.url, expires_at: link.expires_at.toISOString() };
}
