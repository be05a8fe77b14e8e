import type { IntegrationView } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { getAcuityAccount } from './acuity-account.ts';
import { inspectAcuity } from './inspect-acuity.ts';
import { invalidateCatalogue } from './invalidate-catalogue.ts';
import { getAcuityIntegration } from './list-integrations.ts';
import { saveCheck } from './save-check.ts';

/**
 * Inspects the connection to Acuity now and stores the findings. The types and calendars are read again on the next
 * request.
 */
export async function checkAcuity(ctx: Context): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  const check = await inspectAcuity(ctx, await getAcuityAccount(ctx));
  await saveCheck(ctx, 'acuity', check);
  // While Acuity does not return its settings, the previous ones are still shown.
  if (!check.isUnread) await invalidateCatalogue(ctx);
  return getAcuityIntegration(ctx);
}
