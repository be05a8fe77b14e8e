import type { Context } from '#server/core/context.ts';
import { inspectStripe } from './inspect-stripe.ts';
import { saveCheck } from './save-check.ts';

/**
 * Notes when webhooks have stopped: an event from Stripe's list has waited for its webhook longer than the bound, and
 * no webhook has arrived since. Emits `integration.degraded`, and `integration.recovered` when one arrives again.
 */
export async function recordStripeSilence(ctx: Context, accountId: string): Promise<void> {
  const { tenantId, db, clock, config } = ctx;
  const since = await silentSince(ctx, accountId);
  const where = { tenantId, accountId };
  const before = await db.stripeReconcile.findFirst({ where });
  const isLong = since !== null && clock.now().getTime() - since.getTime() >= config.stripe.reconcileMs;
  if (isLong === (before?.silentSince !== null)) return;
  await db.stripeReconcile.updateMany({ where, data: { silentSince: isLong ? since : null } });
  await saveCheck(ctx, 'stripe', await inspectStripe(ctx, accountId));
}

/** The time of the first event after the last webhook that no webhook delivered, or null. */
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
