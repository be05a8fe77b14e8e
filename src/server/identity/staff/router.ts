import { NoInput } from '#contract/patients.ts';
import type { MeView, Role } from '#contract/settings.ts';
import type { Context } from '../../core/context.ts';
import { apiError, notFound } from '../../core/errors.ts';
import { noPatient, router } from '../../core/trpc.ts';
import { isTwoStepDue } from './staff-actor.ts';

/** Reads the signed-in staff user, the clinic and the environment. */
export async function getMe(ctx: Context): Promise<MeView> {
  const { actor, tenantId } = ctx;
  if (!('userId' in actor)) throw apiError('forbidden', 'Only staff have a session.');
  const [user, tenant] = await Promise.all([
    ctx.db.staffUser.findFirst({ where: { tenantId, id: actor.userId }, include: { twoStep: true } }),
    ctx.db.tenant.findUnique({ where: { id: tenantId } }),
  ]);
  if (!user || !tenant) throw notFound('user');
  const role = user.role as Role;
  return {
    user: { id: user.id, name: user.name, email: user.email, role },
    two_step_due: isTwoStepDue(ctx.config, { role, twoStep: Boolean(user.twoStep?.turnedOnAt) }),
    tenant: { id: tenant.id, name: tenant.name, time_zone: tenant.timeZone, invites_enabled: tenant.invitesEnabled },
    environment: ctx.config.environment,
  };
}

export const sessionRouter = router({
  me: noPatient
    .meta({ whileEnrolling: true })
    .input(NoInput.optional())
    .query(({ ctx }) => getMe(ctx)),
});
