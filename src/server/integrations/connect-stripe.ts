import type { IntegrationView } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { stripeOf } from '#server/providers/stripe.ts';
import { inspectStripe } from './inspect-stripe.ts';
import { getStripeIntegration } from './list-integrations.ts';
import { presentIntegration } from './present-integration.ts';
import { saveCheck } from './save-check.ts';

/**
 * Gives the tenant a connected account of its own at Stripe; its holder then goes through onboarding. One that is
 * connected already stays. Asking twice makes one account: the idempotency key is the tenant's. In place of one that was
 * given up comes another; what is kept of the former stays.
 */
export async function connectStripe(ctx: Context): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  const id = { tenantId: ctx.tenantId, provider: 'stripe' };
  const known = await ctx.db.integration.findFirst({ where: id });
  let accountId = known?.status === 'disconnected' ? null : known?.accountId;
  if (!accountId) {
    const tenant = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId } });
    // An account that was given up must not come back by the old key.
    const key = `carelane-account-${ctx.tenantId}${known?.accountId ? `-after-${known.accountId}` : ''}`;
    const account = await stripeOf(ctx).createAccount(
      { name: tenant.name, metadata: { carelane_tenant: ctx.tenantId } },
      key,
    );
    accountId = account.id;
  }
  await store(ctx, accountId, known?.accountId ?? null);
  await saveCheck(ctx, 'stripe', await inspectStripe(ctx, accountId));
  return getStripeIntegration(ctx);
}

/**
 * The row, and the way back from the account's webhooks to the tenant. That it is connected is told once, whoever of several
 * comes first; that it was asked for, each time.
 */
async function store(ctx: Context, accountId: string, former: string | null): Promise<void> {
  const { tenantId } = ctx;
  const id = { tenantId, provider: 'stripe' };
  const data = { status: 'degraded', accountId };
  await ctx.db.$transaction(async (tx) => {
    const made = await tx.integration.createMany({ data: [{ ...id, ...data }], skipDuplicates: true });
    const other = { ...id, OR: [{ accountId: null }, { accountId: { not: accountId } }] };
    const replaced = await tx.integration.updateMany({ where: other, data: { ...data, findings: [], settings: {} } });
    const isNew = made.count + replaced.count > 0;
    if (isNew) {
      if (former && former !== accountId)
        await tx.tenantRoute.deleteMany({ where: { tenantId, key: `stripe:${former}` } });
      await tx.providerSnapshot.deleteMany({ where: { tenantId, provider: 'stripe' } });
      await tx.tenantRoute.createMany({ data: [{ key: `stripe:${accountId}`, tenantId }], skipDuplicates: true });
    }
    const row = await tx.integration.findUniqueOrThrow({ where: { tenantId_provider: id } });
    await record(tx, ctx, {
      action: 'integrations.connect',
      object: { type: 'Integration', id: 'stripe' },
      ...(isNew && { event: 'integration.connected' as const }),
      payload: presentIntegration(ctx, 'stripe', row),
      details: { account_id: accountId, ...(!isNew && { before: true }) },
    });
  });
}
