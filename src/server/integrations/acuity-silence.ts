import type { Context } from '#server/core/context.ts';
import type { AcuityAccount } from './acuity-account.ts';
import { inspectAcuity } from './inspect-acuity.ts';
import { saveCheck } from './save-check.ts';

/**
 * Notes when webhooks have stopped: a repair was needed longer ago than the bound, and no webhook has arrived since.
 * Emits `integration.degraded`, and `integration.recovered` when one arrives again.
 */
export async function recordAcuitySilence(ctx: Context, account: AcuityAccount): Promise<void> {
  const { tenantId, db, clock, config } = ctx;
  const { accountId } = account;
  const since = await silentSince(ctx, accountId);
  const where = { tenantId, accountId };
  const before = await db.schedulingReconcile.findFirst({ where });
  const isLong = since !== null && clock.now().getTime() - since.getTime() >= config.scheduling.reconcileMs;
  if (isLong === (before?.silentSince != null)) return;
  await db.schedulingReconcile.updateMany({ where, data: { silentSince: isLong ? since : null } });
  await saveCheck(ctx, 'acuity', await inspectAcuity(ctx, account));
}

/** The time of the first repair after the last webhook and after its registration, or null. */
async function silentSince({ db, tenantId }: Context, accountId: string): Promise<Date | null> {
  const [row] = await db.$queryRaw<{ since: Date | null }[]>`
    select min(created_at) as since from scheduling_repairs
    where tenant_id = ${tenantId}::uuid and account_id = ${accountId} and what <> 'webhook'
      and created_at > greatest(
        (select max(received_at) from inbound_events
          where tenant_id = ${tenantId}::uuid and provider = 'acuity' and account_id = ${accountId}),
        (select (settings->>'webhook_since')::timestamptz from integrations
          where tenant_id = ${tenantId}::uuid and provider = 'acuity'))`;
  return row?.since ?? null;
}
