import type { MeView, Role } from '#contract/settings.ts';
import type { Context } from '../core/context.ts';
import { notFound, refuse } from '../core/errors.ts';

/** Who is signed in to the portal, and where. */
export async function readMe(ctx: Context): Promise<MeView> {
  const { actor, tenantId } = ctx;
  if (actor.kind !== 'practitioner' && actor.kind !== 'admin') throw refuse('forbidden', 'Only staff have a session.');
  const [user, tenant] = await Promise.all([
    ctx.db.staffUser.findFirst({ where: { tenantId, id: actor.userId } }),
    ctx.db.tenant.findUnique({ where: { id: tenantId } }),
  ]);
  if (!user || !tenant) throw notFound('user');
  return {
    user: { id: user.id, name: user.name, email: user.email, role: user.role as Role },
    tenant: { id: tenant.id, name: tenant.name, time_zone: tenant.timeZone, invites_enabled: tenant.invitesEnabled },
    environment: ctx.config.environment,
  };
}
