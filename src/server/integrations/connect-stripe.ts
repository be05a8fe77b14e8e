import type { IntegrationView } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { enqueue } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { retryReplayedFailure } from '#server/providers/stripe-errors.ts';
import { inspectStripe, WITHOUT_ACCESS } from './inspect-stripe.ts';
import { applyCheck, type Check, columnsOf, presentIntegration } from './integration.ts';
import { getStripeIntegration } from './list-integrations.ts';

/**
 * Creates a connected account at Stripe for the tenant; its holder then completes onboarding. Idempotent: a connected
 * account stays, and the idempotency key is the tenant's. An account whose access was lost is connected again when
 * Stripe grants access; a disconnected one is replaced. Data of the former account stays.
 */
export async function connectStripe(ctx: Context): Promise<IntegrationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const id = { tenantId: ctx.tenantId, provider: 'stripe' };
  const before = await ctx.db.integration.findFirst({ where: id });
  const isDisconnected = before?.status === 'disconnected';
  const isReplaced = isDisconnected && (await ctx.db.integration.count({ where: { ...id, ...WITHOUT_ACCESS } })) === 0;
  let accountId = isReplaced ? null : before?.accountId;
  let check = accountId ? await inspectStripe(ctx, accountId) : null;
  if (!accountId || (isDisconnected && check?.status === 'disconnected')) {
    const tenant = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId } });
    // A new key, because the old one would return the account that was disconnected.
    const key = `carelane-account-${ctx.tenantId}${before?.accountId ? `-after-${before.accountId}` : ''}`;
    const stripe = ctx.providers.stripeClient(ctx);
    accountId = (await retryReplayedFailure(key, (one) => stripe.createAccount(ctx.tenantId, one))).id;
    await stripe.nameAccount(accountId, tenant.name);
    check = null;
  }
  check ??= await inspectStripe(ctx, accountId);
  return store(ctx, check, { accountId, former: before?.accountId ?? null });
}

/**
 * Stores the row and the webhook route of the account, together with the response for a retry. The event is emitted
 * once, by the first of several requests; each leaves an audit entry.
 */
async function store(
  ctx: Context,
  check: Check,
  { accountId, former }: { accountId: string; former: string | null },
): Promise<IntegrationView> {
  const { tenantId } = ctx;
  const id = { tenantId, provider: 'stripe' };
  const data = { ...columnsOf(check), accountId };
  return ctx.db.$transaction(async (tx) => {
    const created = await tx.integration.createMany({ data: [{ ...id, ...data }], skipDuplicates: true });
    const regained = check.status === 'disconnected' ? [] : [WITHOUT_ACCESS];
    const other = { ...id, OR: [{ accountId: null }, { accountId: { not: accountId } }, ...regained] };
    const replaced = await tx.integration.updateMany({ where: other, data });
    const isNew = created.count + replaced.count > 0;
    if (isNew) {
      if (former && former !== accountId)
        await tx.tenantRoute.deleteMany({ where: { tenantId, key: `stripe:${former}` } });
      await tx.providerSnapshot.deleteMany({ where: { tenantId, provider: 'stripe' } });
      await tx.tenantRoute.createMany({ data: [{ key: `stripe:${accountId}`, tenantId }], skipDuplicates: true });
      await resolvePending(tx, ctx);
    } else await applyCheck(tx, ctx, 'stripe', check);
    const row = await tx.integration.findUniqueOrThrow({ where: { tenantId_provider: id } });
    const view = await getStripeIntegration({ ...ctx, db: tx });
    await record(tx, ctx, {
      action: 'integrations.connect',
      object: { type: 'Integration', id: 'stripe' },
      ...(isNew && { event: 'integration.connected' as const }),
      payload: presentIntegration(ctx, 'stripe', row),
      response: view,
      details: { account_id: accountId, ...(!isNew && { before: true }) },
    });
    return view;
  });
}

/**
 * Queues the look-up of creates without an outcome: their jobs may have used up their attempts while access was lost.
 */
async function resolvePending(tx: Tx, { tenantId, clock }: Context): Promise<void> {
  const pending = await tx.subscriptionIntent.findMany({
    where: { tenantId, status: 'pending' },
    select: { id: true },
  });
  // After any request that is still running.
  const runAt = new Date(clock.now().getTime() + 2 * MINUTE);
  for (const { id } of pending)
    await enqueue(tx, 'resolve_subscription', { tenantId, intentId: id }, { runAt, key: `resolve_subscription:${id}` });
}
