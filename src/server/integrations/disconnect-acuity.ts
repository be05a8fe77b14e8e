import type { DisconnectAcuityInput, IntegrationView } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { removeTenantWebhooks } from './inspect-acuity.ts';
import { presentIntegration } from './integration.ts';
import { getAcuityIntegration } from './list-integrations.ts';
import { findAcuityAccount, invalidateCatalogue } from './scheduling-account.ts';

/**
 * Disconnects the account: deletes its credentials here and the webhook at Acuity. Appointments stay readable, and
 * nothing is canceled at Acuity; until an account is connected, none can be booked, rescheduled or canceled here.
 * Idempotent.
 * @throws `conflict` (409) for another account than the connected one
 */
export async function disconnectAcuity(ctx: Context, input: DisconnectAcuityInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  const account = await findAcuityAccount(ctx);
  const isDone = await ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`select 1 from integrations
      where tenant_id = ${tenantId}::uuid and provider = 'acuity' for update`;
    const id = { tenantId_provider: { tenantId, provider: 'acuity' } };
    const before = await tx.integration.findUnique({ where: id });
    if (before?.accountId !== input.account_id)
      throw apiError('conflict', 'This account is not the one that is connected.', {
        source: { parameter: 'account_id' },
      });
    if (before.status === 'disconnected') return false;
    const after = await tx.integration.update({
      where: id,
      data: {
        status: 'disconnected',
        credentials: null,
        settings: {},
        findings: [],
        checkedAt: ctx.clock.now(),
      },
    });
    await tx.providerSnapshot.deleteMany({ where: { tenantId, provider: 'acuity' } });
    await tx.availabilityDay.deleteMany({ where: { tenantId } });
    await record(tx, ctx, {
      action: 'integrations.disconnect',
      object: { type: 'Integration', id: 'acuity' },
      event: 'integration.disconnected',
      payload: presentIntegration(ctx, 'acuity', after),
      details: { account_id: input.account_id },
    });
    return true;
  });
  await invalidateCatalogue(ctx);
  if (isDone && account?.userId === input.account_id) await removeTenantWebhooks(ctx, account.provider);
  return getAcuityIntegration(ctx);
}
