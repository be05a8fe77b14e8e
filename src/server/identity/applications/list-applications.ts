import type { ApplicationView } from '#contract/settings.ts';
import { requireAdmin } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { presentApplication, withLiveSecrets } from './application.ts';

/** Lists the tenant's server applications, newest first. A tenant has few, so there are no pages. */
export async function listApplications(ctx: Context): Promise<ApplicationView[]> {
  requireAdmin(ctx.actor);
  const rows = await ctx.db.application.findMany({
    where: { tenantId: ctx.tenantId, kind: 'server' },
    include: withLiveSecrets,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return rows.map(presentApplication);
}
