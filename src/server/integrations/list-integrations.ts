import type { IntegrationView } from '#contract/settings.ts';
import { isStaff, requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { presentIntegration } from './present-integration.ts';

/** How both providers stood when they were last looked at. */
export async function listIntegrations(ctx: Context): Promise<IntegrationView[]> {
  if (!isStaff(ctx.actor)) requireAdmin(ctx.actor);
  const rows = await ctx.db.integration.findMany({ where: { tenantId: ctx.tenantId } });
  return (['stripe', 'acuity'] as const).map((provider) =>
    presentIntegration(provider, rows.find((row) => row.provider === provider) ?? null),
  );
}
