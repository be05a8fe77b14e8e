import type { IntegrationView, RepairAcuityInput } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { repairAtEmulator } from '#server/providers/acuity-emulator.ts';
import { checkAcuity } from './check-integration.ts';

/**
 * In a sandbox, fixes the cause of a finding at the Acuity emulator and checks again.
 * @throws `not_found` (404) outside a sandbox
 * @throws `conflict` (409) when only a person can fix it
 */
export async function repairAcuity(ctx: Context, input: RepairAcuityInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  const { tenantId, db, config } = ctx;
  const row = await db.integration.findFirst({ where: { tenantId, provider: 'acuity' } });
  if (!row?.accountId || row.status === 'disconnected')
    throw apiError('integration_not_connected', 'Acuity is not connected.');
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
