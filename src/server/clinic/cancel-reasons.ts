import type { CancelReasonsView, SetCancelReasonsInput } from '#contract/cancel-reasons.ts';
import { requireAdmin, requireStaff } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { notFound } from '../core/errors.ts';
import { record } from '../core/record.ts';

/** Returns the reasons for a cancellation that staff choose from. Staff users only. */
export async function listCancelReasons(ctx: Context): Promise<CancelReasonsView> {
  requireStaff(ctx.actor, 'appointments:write');
  const tenant = await ctx.db.tenant.findFirst({ where: { id: ctx.tenantId }, select: { cancelReasons: true } });
  if (!tenant) throw notFound('clinic');
  return { reasons: tenant.cancelReasons };
}

/** Replaces them; none is allowed. Appointments keep the reasons that were given. Admins only. */
export async function setCancelReasons(ctx: Context, { reasons }: SetCancelReasonsInput): Promise<CancelReasonsView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.tenant.updateMany({
      where: { id: tenantId, NOT: { cancelReasons: { equals: reasons } } },
      data: { cancelReasons: reasons },
    });
    // Free text of the clinic: only how many there are.
    if (count > 0)
      await record(tx, ctx, {
        action: 'clinic.set_cancel_reasons',
        object: { type: 'Tenant', id: tenantId },
        details: { count: reasons.length },
      });
  });
  return { reasons };
}
