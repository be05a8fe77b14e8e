import type { StripeSyncView } from '#contract/integrations.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

const SHOWN = 10;

/** The state of the synchronisation with an account at Acuity. */
export async function getAcuitySync(
  { db, tenantId, config, clock }: Pick<Context, 'tenantId' | 'config' | 'clock'> & { db: Tx },
  accountId: string,
): Promise<StripeSyncView> {
  const where = { tenantId, accountId };
  const [state, webhook, repairs, unmatched] = await Promise.all([
    db.schedulingReconcile.findFirst({ where }),
    db.inboundEvent.findFirst({
      where: { ...where, provider: 'acuity' },
      orderBy: { receivedAt: 'desc' },
      select: { receivedAt: true },
    }),
    db.schedulingRepair.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: SHOWN }),
    db.unmatchedAppointment.count({
      where: { ...where, status: 'scheduled', ignoredAt: null, endAt: { gt: clock.now() } },
    }),
  ]);
  return {
    last_webhook_at: webhook?.receivedAt.toISOString() ?? null,
    last_reconcile_at: state?.lastRunAt?.toISOString() ?? null,
    answered: !state?.lastError,
    compared_at: state?.passEndedAt?.toISOString() ?? null,
    compared: state?.compared ?? 0,
    bound_seconds: config.scheduling.reconcileMs / 1000,
    repaired: Number(state?.repaired ?? 0),
    repairs: repairs.map(({ id, objectId, what, createdAt }) => ({
      id,
      object_id: objectId,
      found_by: 'comparison',
      what,
      created_at: createdAt.toISOString(),
    })),
    unknown: [],
    unmatched,
  };
}
