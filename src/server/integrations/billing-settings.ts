import type { BillingSettings } from '#contract/integrations.ts';
import type { Tenant } from '#generated/prisma/client.ts';
import type { Tx } from '#server/core/db.ts';

/** Returns the clinic's billing settings. */
export async function getBillingSettings(db: Pick<Tx, 'tenant'>, tenantId: string): Promise<BillingSettings> {
  return presentSettings(await db.tenant.findUniqueOrThrow({ where: { id: tenantId } }));
}

const presentSettings = (tenant: Tenant): BillingSettings => ({
  trial_end: tenant.trialEnd as BillingSettings['trial_end'],
  trial_once: tenant.trialOnce,
  grace_days: tenant.graceDays,
  patients_may_cancel: tenant.patientsMayCancel,
  patients_may_change_plan: tenant.patientsMayChangePlan,
  proration: tenant.proration as BillingSettings['proration'],
});
