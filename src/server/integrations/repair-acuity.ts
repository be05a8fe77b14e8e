import type { IntegrationView, RepairAcuityInput } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { repairAtEmulator } from '#server/providers/acuity-emulator.ts';
import { checkAcuity } from './check-acuity.ts';

/**
 * In a sandbox, puts right what a finding tells of at the emulator that stands for Acuity, and looks again. 404 elsewhere;
 * 409 `conflict` where only a person can.
 */
export async function repairAcuity(ctx: Context, input: RepairAcuityInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  const { tenantId, db, config } = ctx;
  const row = await db.integration.findFirst({ where: { tenantId, provider: 'acuity' } });
  if (!row?.accountId || row.status === 'disconnected')
    throw refuse('integration_not_connected', 'Acuity is not connected.');
  const staff = await db.staffUser.findMany({
    where: { tenantId, disabledAt: null, role: 'practitioner' },
    orderBy: { createdAt: 'asc' },
    select: { email: true },
  });
  await repairAtEmulator(config, {
    account: row.accountId,
    code: input.code,
    object: input.object_id ?? null,
    emails: staff.map(({ email }) => email),
  });
  return checkAcuity(ctx);
}
