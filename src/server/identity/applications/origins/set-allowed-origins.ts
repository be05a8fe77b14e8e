import type { SetAllowedOriginsInput } from '#contract/origins.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { invalid } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { originRoute } from './origin-route.ts';
import { readAllowedOrigins } from './read-allowed-origins.ts';
import { forgetOrigin } from './tenants-of-origin.ts';

/** Replaces the list of websites whose scripts may read the API's answers. Errors: invalid_parameter. */
export async function setAllowedOrigins(ctx: Context, { origins }: SetAllowedOriginsInput): Promise<string[]> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  const plain = origins.findIndex((origin) => origin.startsWith('http:'));
  if (plain >= 0 && ctx.config.environment === 'production')
    throw invalid(`origins/${plain}`, 'Begin it with https://; http is for sandboxes only.');
  const changed = await ctx.db.$transaction(async (tx) => {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`allowed-origins:${tenantId}`}, 0))`;
    const listed = await readAllowedOrigins(tx, tenantId);
    const added = origins.filter((origin) => !listed.includes(origin));
    const removed = listed.filter((origin) => !origins.includes(origin));
    if (added.length + removed.length === 0) return [];
    await tx.tenantRoute.deleteMany({ where: { tenantId, key: { in: removed.map(originRoute) } } });
    await tx.tenantRoute.createMany({ data: added.map((origin) => ({ key: originRoute(origin), tenantId })) });
    await record(tx, ctx, {
      action: 'applications.set_allowed_origins',
      object: { type: 'Tenant', id: tenantId },
      details: { added, removed },
    });
    return [...added, ...removed];
  });
  for (const origin of changed) forgetOrigin(ctx, origin);
  return origins;
}
