import type { Context } from '#server/core/context.ts';
import { inspectStripe } from './inspect-stripe.ts';
import { saveCheck } from './save-check.ts';

/**
 * Notes when webhooks have stopped: an event that Stripe lists has waited for its own as long as anything may take to be
 * put right, and none has come since. Told by `integration.degraded`, and by `integration.recovered` when one comes again.
 */
export async function noteSilence(ctx: Context, accountId: string): Promise<void> {
  const { tenantId, db, clock, config } = ctx;
  const since = await silentSince(ctx, accountId);
  const where = { tenantId, accountId };
  const before = await db.stripeReconcile.findFirst({ where });
  const isLong = since !== null && clock.now().getTime() - since.getTime() >= config.stripe.reconcileMs;
  if (isLong === (before?.silentSince !== null)) return;
  await db.stripeReconcile.updateMany({ where, data: { silentSince: isLong ? since : null } });
  await saveCheck(ctx, 'stripe', await inspectStripe(ctx, accountId));
}

/** Since when an event has been known that no webhook brought, while none came after it either. */
async function silentSince({ db, tenantId }: Context, accountId: string): Promise<Date | null> {
  const [row] = await db.$queryRaw<{ since: Date | null }[]>`
    select min(received_at) as since from inbound_events
    where tenant_id = ${tenantId}::uuid and provider = 'stripe' and account_id = ${accountId}
      and found_by is not null and delivered_at is null
      and received_at > coalesce((
        select max(greatest(received_at, delivered_at)) from inbound_events
        where tenant_id = ${tenantId}::uuid and provider = 'stripe' and account_id = ${accountId}
          and (found_by is null or delivered_at is not null)), '-infinity')`;
  return row?.since ?? null;
}
