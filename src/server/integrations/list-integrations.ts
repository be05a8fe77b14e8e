import type { IntegrationView } from '#contract/settings.ts';
import { isStaff, requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { getStripeSync } from './get-stripe-sync.ts';
import { presentIntegration } from './present-integration.ts';

/**
 * How both providers stood when they were last looked at. Practitioners are told that each is connected and healthy, or
 * not; accounts, settings and findings are for who may change them.
 */
export async function listIntegrations(ctx: Context): Promise<IntegrationView[]> {
  if (!isStaff(ctx.actor)) requireAdmin(ctx.actor);
  const rows = await ctx.db.integration.findMany({ where: { tenantId: ctx.tenantId } });
  const [stripe, acuity] = (['stripe', 'acuity'] as const).map((provider) =>
    presentIntegration(provider, rows.find((row) => row.provider === provider) ?? null),
  ) as [IntegrationView, IntegrationView];
  if (ctx.actor.kind === 'practitioner')
    return [stripe, acuity].map(({ provider, status }) => ({ ...UNTOLD, provider, status }));
  return [stripe.account_id ? { ...stripe, sync: await getStripeSync(ctx, stripe.account_id) } : stripe, acuity];
}

const UNTOLD = { account_id: null, details: {}, findings: [], checked_at: null };
