import { NoInput } from '#contract/patients.ts';
import type { Role } from '#contract/roles.ts';
import type { MeView } from '#contract/settings.ts';
import { actorOfStaff, isTwoStepRequired } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { apiError, notFound } from '../../core/errors.ts';
import { noPatient, router } from '../../core/trpc.ts';

/** Reads the signed-in staff user, the clinic and the environment; from the database, not from a cached session. */
export async function getMe(ctx: Context): Promise<MeView> {
  const { actor, tenantId } = ctx;
  if (!('userId' in actor)) throw apiError('forbidden', 'Only staff have a session.');
  const [user, tenant, appointment] = await Promise.all([
    ctx.db.staffUser.findFirst({ where: { tenantId, id: actor.userId }, include: { twoStep: true } }),
    ctx.db.tenant.findUnique({ where: { id: tenantId } }),
    ctx.db.appointment.findFirst({ where: { tenantId, practitionerId: actor.userId }, select: { id: true } }),
  ]);
  if (!user || !tenant) throw notFound('user');
  const role = user.role as Role;
  const { permissions } = actorOfStaff({ role, tenantId, userId: user.id }, tenant.practitionerOptions);
  return {
    user: { id: user.id, name: user.name, email: user.email, role },
    permissions: [...permissions],
    two_step_due: isTwoStepRequired(ctx.config, permissions) && !user.twoStep?.turnedOnAt,
    has_appointments: appointment !== null,
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
