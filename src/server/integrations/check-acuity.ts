import type { IntegrationView } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { getAcuityAccount } from './acuity-account.ts';
import { forgetSettings } from './forget-settings.ts';
import { inspectAcuity } from './inspect-acuity.ts';
import { getAcuityIntegration } from './list-integrations.ts';
import { saveCheck } from './save-check.ts';

/** Asks Acuity how the connection stands now, and keeps what was found. What can be booked is read anew. */
export async function checkAcuity(ctx: Context): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  const check = await inspectAcuity(ctx, await getAcuityAccount(ctx));
  await saveCheck(ctx, 'acuity', check);
  // While Acuity does not tell its settings, those of before are still shown.
  if (!check.isUnread) await forgetSettings(ctx);
  return getAcuityIntegration(ctx);
}
