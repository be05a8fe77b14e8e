import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { readAllowedOrigins } from './read-allowed-origins.ts';

/** The websites whose scripts may read the API's answers for this tenant, in the order of the alphabet. */
export async function listAllowedOrigins(ctx: Context): Promise<string[]> {
  requireAdmin(ctx.actor);
  return readAllowedOrigins(ctx.db, ctx.tenantId);
}
