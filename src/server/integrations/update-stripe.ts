import type { BillingSettings, IntegrationView, UpdateStripeInput } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { getStripeIntegration } from './list-integrations.ts';
import { getBillingSettings, updateGrace } from './stripe-account.ts';

/** Changes the billing settings; fields left out stay. The audit entry lists the changed fields. */
export async function updateStripe(ctx: Context, input: UpdateStripeInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  const fields = await ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`select 1 from tenants where id = ${tenantId}::uuid for update`;
    const before = await getBillingSettings(tx, tenantId);
    const changed = (Object.keys(before) as (keyof BillingSettings)[]).filter(
      (name) => input[name] !== undefined && input[name] !== before[name],
    );
    const after = { ...before, ...Object.fromEntries(changed.map((name) => [name, input[name]])) } as BillingSettings;
    await tx.tenant.update({
      where: { id: tenantId },
      data: {
        trialEnd: after.trial_end,
        trialOnce: after.trial_once,
        graceDays: after.grace_days,
        patientsMayCancel: after.patients_may_cancel,
        patientsMayChangePlan: after.patients_may_change_plan,
        proration: after.proration,
      },
    });
    if (changed.includes('grace_days')) await updateGrace(tx, ctx);
    await record(tx, ctx, {
      action: 'integrations.update',
      object: { type: 'Integration', id: 'stripe' },
      details: { fields: changed },
    });
    return changed;
  });
  // A concurrent sync may have used the previous grace days.
  if (fields.includes('grace_days')) await ctx.db.$transaction((tx) => updateGrace(tx, ctx));
  return getStripeIntegration(ctx);
}
