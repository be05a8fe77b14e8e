import type { DisconnectStripeInput, IntegrationView } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { endPaymentLinks, presentIntegration } from './integration.ts';
import { getBillingSettings } from './stripe-account.ts';

/**
 * Disconnects the account. Its stored data stays, and nothing ends at Stripe, where the account belongs to its holder.
 * Payment links end, and later events of the account are ignored. Idempotent. The request names the account so that a
 * delayed retry cannot disconnect an account that was connected later.
 * @throws `conflict` (409) for another account than the connected one
 */
export async function disconnectStripe(ctx: Context, input: DisconnectStripeInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`select 1 from integrations
      where tenant_id = ${tenantId}::uuid and provider = 'stripe' for update`;
    const id = { tenantId_provider: { tenantId, provider: 'stripe' } };
    const before = await tx.integration.findUnique({ where: id });
    if (before?.accountId !== input.account_id)
      throw apiError('conflict', 'This account is not the one that is connected.', {
        source: { parameter: 'account_id' },
      });
    const settings = await getBillingSettings(tx, tenantId);
    if (before.status === 'disconnected') return { ...presentIntegration(ctx, 'stripe', before), settings };
    const now = ctx.clock.now();
    const after = await tx.integration.update({
      where: id,
      data: { status: 'disconnected', settings: {}, findings: [], checkedAt: now },
    });
    await tx.tenantRoute.deleteMany({ where: { tenantId, key: `stripe:${input.account_id}` } });
    await tx.providerSnapshot.deleteMany({ where: { tenantId, provider: 'stripe' } });
    await endPaymentLinks(tx, ctx);
    const view = presentIntegration(ctx, 'stripe', after);
    await record(tx, ctx, {
      action: 'integrations.disconnect',
      object: { type: 'Integration', id: 'stripe' },
      event: 'integration.disconnected',
      payload: view,
      details: { account_id: input.account_id },
    });
    return { ...view, settings };
  });
}
