import type { OnboardingLinkView, StripeOnboardingInput } from '#contract/integrations.ts';
import { assertAllowedPages } from '#server/clinic/allowed-pages.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { getStripeAccount } from './stripe-account.ts';

/**
 * Creates a link to Stripe's onboarding page, which opens once and for minutes only. An expired link leads to the
 * Integrations page, which creates another one for a signed-in admin; or to the caller's own page.
 */
export async function createOnboardingLink(ctx: Context, input: StripeOnboardingInput): Promise<OnboardingLinkView> {
  requireAdmin(ctx.actor);
  await assertAllowedPages(ctx, { return_url: input.return_url, refresh_url: input.refresh_url });
  const page = `${ctx.config.publicUrl}/settings/integrations`;
  const accountId = await getStripeAccount(ctx);
  const link = await ctx.providers.stripeClient(ctx).createOnboardingLink(accountId, {
    refresh_url: input.refresh_url ?? `${page}?stripe=expired`,
    return_url: input.return_url ?? `${page}?stripe=returned`,
  });
  const view = { url: link.url, expires_at: link.expires_at.toISOString() };
  await ctx.db.$transaction((tx) =>
    record(tx, ctx, {
      action: 'integrations.begin_onboarding',
      object: { type: 'Integration', id: 'stripe' },
      response: view,
      isNews: true,
      details: { account_id: accountId },
    }),
  );
  return view;
}
