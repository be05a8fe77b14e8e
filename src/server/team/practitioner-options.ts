import { PRACTITIONER_OPTIONS, type PractitionerOption } from '#contract/roles.ts';
import type { PractitionerOptionInput, PractitionerOptionsView } from '#contract/team.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { record } from '../core/record.ts';
import { lockTeam, requireHeld } from './member.ts';

/** Returns what the clinic lets its practitioners do in addition to their role. */
export async function getPractitionerOptions(ctx: Context): Promise<PractitionerOptionsView> {
  requireAdmin(ctx.actor, 'team:manage');
  const tenant = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId } });
  return { options: tenant.practitionerOptions as PractitionerOption[] };
}

/**
 * Gives one to practitioners, or takes it away; their sessions follow within a second.
 * @throws `forbidden` for a permission that the caller does not hold
 */
export async function setPractitionerOption(
  ctx: Context,
  { option, allowed }: PractitionerOptionInput,
): Promise<PractitionerOptionsView> {
  requireAdmin(ctx.actor, 'team:manage');
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await lockTeam(tx, ctx);
    await requireHeld(tx, ctx, 'practitioner', [option]);
    const tenant = await tx.tenant.findUniqueOrThrow({ where: { id: tenantId } });
    const before = tenant.practitionerOptions as PractitionerOption[];
    const options = PRACTITIONER_OPTIONS.filter((one) => (one === option ? allowed : before.includes(one)));
    if (options.length === before.length) return { options };
    await tx.tenant.update({ where: { id: tenantId }, data: { practitionerOptions: options } });
    await record(tx, ctx, {
      action: 'team.set_practitioner_option',
      object: { type: 'Tenant', id: tenantId },
      details: { option, allowed },
    });
    return { options };
  });
}
