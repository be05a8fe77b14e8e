import type { PractitionerOption } from '#contract/roles.ts';
import type { PractitionerOptionsInput, PractitionerOptionsView } from '#contract/team.ts';
import { isStaff, requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { apiError } from '../core/errors.ts';
import { record } from '../core/record.ts';

/** Returns what the clinic lets its practitioners do in addition to their role. */
export async function getPractitionerOptions(ctx: Context): Promise<PractitionerOptionsView> {
  requireAdmin(ctx.actor, 'team:manage');
  const tenant = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId } });
  return { options: tenant.practitionerOptions as PractitionerOption[] };
}

/**
 * Replaces them; sessions of practitioners follow within a second.
 * @throws `forbidden` for a permission that the caller does not hold
 */
export async function setPractitionerOptions(
  ctx: Context,
  input: PractitionerOptionsInput,
): Promise<PractitionerOptionsView> {
  const { actor, tenantId } = ctx;
  requireAdmin(actor, 'team:manage');
  const options = [...new Set(input.options)].sort();
  if (isStaff(actor) && options.some((option) => !actor.permissions.has(option)))
    throw apiError('forbidden', 'You cannot give more than you may do yourself.');
  await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.tenant.updateMany({
      where: { id: tenantId, NOT: { practitionerOptions: { equals: options } } },
      data: { practitionerOptions: options },
    });
    if (count > 0)
      await record(tx, ctx, {
        action: 'team.set_practitioner_options',
        object: { type: 'Tenant', id: tenantId },
        details: { options },
      });
  });
  return { options };
}
