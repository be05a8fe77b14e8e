import type { IntegrationView } from '#contract/settings.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { wordsForPeople } from '#server/core/errors.ts';
import { AcuityError } from '#server/providers/acuity.ts';
import { getAcuityAccount } from './get-acuity-account.ts';
import type { Details } from './present-integration.ts';
import { readAcuitySettings } from './read-acuity-settings.ts';
import { type Check, saveCheck } from './save-check.ts';

/** Asks Acuity how the connection stands now; an account that cannot be reached is `degraded`, never forgotten. */
export async function checkAcuity(ctx: Context): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  const { acuity } = await getAcuityAccount(ctx);
  return saveCheck(ctx, 'acuity', await look(ctx, acuity));
}

async function look(ctx: Context, acuity: Parameters<typeof readAcuitySettings>[1]): Promise<Check> {
  try {
    const { details, findings } = await readAcuitySettings(ctx, acuity);
    return { status: 'connected', details, findings };
  } catch (error) {
    if (!(error instanceof AcuityError)) throw error;
    const [fault] = error.faults;
    const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
    return {
      status: 'degraded',
      details: row?.settings as Details,
      findings: [{ code: fault!.code, message: wordsForPeople(fault!) }],
    };
  }
}
