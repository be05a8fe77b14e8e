import type { SetVisitCheckInput, VisitCheckView } from '#contract/visits.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { isOwnRoom } from '#server/core/video-url.ts';

/** Returns what the tenant requires of patients in addition to the video link. Admins only. */
export async function getVisitCheck(ctx: Context): Promise<VisitCheckView> {
  requireAdmin(ctx.actor);
  const tenant = await ctx.db.tenant.findFirst({ where: { id: ctx.tenantId }, select: { visitCheck: true } });
  if (!tenant) throw notFound('clinic');
  return { check: tenant.visitCheck as VisitCheckView['check'], is_own_room: isOwnRoom(ctx) };
}

/** Sets the requirement, which applies from the next join. Admins only. */
export async function setVisitCheck(ctx: Context, { check }: SetVisitCheckInput): Promise<VisitCheckView> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.tenant.updateMany({
      where: { id: tenantId, visitCheck: { not: check } },
      data: { visitCheck: check },
    });
    if (count > 0)
      await record(tx, ctx, {
        action: 'clinic.set_visit_check',
        object: { type: 'Tenant', id: tenantId },
        details: { check },
      });
  });
  return { check, is_own_room: isOwnRoom(ctx) };
}
