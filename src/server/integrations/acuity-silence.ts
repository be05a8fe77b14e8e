import type { Context } from '#server/core/context.ts';
import type { AcuityAccount } from './acuity-account.ts';
import { inspectAcuity } from './inspect-acuity.ts';
import { saveCheck } from './save-check.ts';

/**
 * Notes when webhooks have stopped: something was put right that none had told of, as long ago as anything may take, and
 * none has come since. Told by `integration.degraded`, and by `integration.recovered` when one comes again.
 */
export async function noteAcuitySilence(ctx: Context, account: AcuityAccount): Promise<void> {
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

/** Since when something has been put right of which the present webhook did not tell, while none came after it either. */
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
