import type { OnboardingLinkView, StripeOnboardingInput } from '#contract/integrations.ts';
import { assertOwnPages } from '#server/clinic/own-pages.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { stripeOf } from '#server/providers/stripe.ts';
import { getStripeAccount } from './get-stripe-account.ts';

/**
 * Stripe's page where the account's holder gives its details; it opens once and for minutes only. One that has run out
 * leads to our Integrations page, which makes another for who is signed in there, and goes on; or to the caller's own page.
 */
export async function createOnboardingLink(ctx: Context, input: StripeOnboardingInput): Promise<OnboardingLinkView> {
  requireAdmin(ctx.actor);
  await assertOwnPages(ctx, { return_url: input.return_url, refresh_url: input.refresh_url });
  const page = `${ctx.config.publicUrl}/settings/integrations`;
  const accountId = await getStripeAccount(ctx);
  const link = await stripeOf(ctx).createOnboardingLink(accountId, {
    refresh_url: input.refresh_url ?? `${page}?stripe=expired`,
    return_url: input.return_url ?? `${page}?stripe=returned`,
  });
  const view = { url: link.url, expires_at: link.expires_at.toISOString() };
  await ctx.db.$transaction((tx) =>
    record(tx, ctx, {
      action: 'integrations.begin_onboarding',
      object: { type: 'Integration', id: 'stripe' },
      answer: view,
      isNews: true,
      details: { account_id: accountId },
    }),
  );
  return view;
}
