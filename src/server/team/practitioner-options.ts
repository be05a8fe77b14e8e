import type { PractitionerOption } from '#contract/roles.ts';
import type { PractitionerOptionsInput, PractitionerOptionsView } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { record } from '../core/record.ts';
import { requireHeld } from './member.ts';

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
  await ctx.db.$transaction(async (tx) => {
    await requireHeld(tx, ctx, 'practitioner', options);
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
