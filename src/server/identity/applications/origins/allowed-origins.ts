import type { SetAllowedOriginsInput } from '#contract/origins.ts';
import { APP_SHELLS, isOnWebsite } from '#contract/websites.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context, Services } from '#server/core/context.ts';
import type { Db, Tx } from '#server/core/db.ts';
import { CarelaneError, invalidParameter } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';

/**
 * Replaces the list of websites whose scripts may read the API's responses.
 * @throws `invalid_parameter`
 */
export async function setAllowedOrigins(ctx: Context, { origins }: SetAllowedOriginsInput): Promise<string[]> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId } = ctx;
  const plain = origins.findIndex((origin) => origin.startsWith('http:'));
  if (plain >= 0 && ctx.config.environment === 'production')
    throw invalidParameter(`origins/${plain}`, 'Begin it with https://; http is for sandboxes only.');
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

/** Lists the websites whose scripts may read the API's responses for this tenant, in alphabetical order. */
export async function listAllowedOrigins(ctx: Context): Promise<string[]> {
  requireAdmin(ctx.actor, 'settings:manage');
  return readAllowedOrigins(ctx.db, ctx.tenantId);
}

const PREFIX = 'origin:';

/** Origins are stored as tenant routes, because a preflight request holds only the page's origin. */
const originRoute = (origin: string): string => PREFIX + origin;
const originOfRoute = (key: string): string => key.slice(PREFIX.length);
const anyOriginRoute = { startsWith: PREFIX };

export async function readAllowedOrigins(db: Db | Tx, tenantId: string): Promise<string[]> {
  const rows = await db.tenantRoute.findMany({ where: { tenantId, key: anyOriginRoute }, orderBy: { key: 'asc' } });
  return rows.map(({ key }) => originOfRoute(key));
}

/** Only such origins can have been listed; others need no lookup. */
const LISTABLE = /^https?:\/\/[a-z0-9._:[\]-]{1,280}$/;

/** Returns the tenants that list an origin. Cached for up to one second. */
export async function tenantsOfOrigin(services: Services, origin: string): Promise<string[]> {
  if (!LISTABLE.test(origin) && !APP_SHELLS.includes(origin)) return [];
  const key = originRoute(origin);
  return services.identity.tenantsOfOrigins.get(key, () => services.database.tenantsOf(key));
}

/** Invalidates the cached origin in this process; other processes notice within a second. */
function forgetOrigin(services: Services, origin: string): void {
  services.identity.tenantsOfOrigins.invalidate(originRoute(origin));
}

/**
 * Validates that addresses lie on the clinic's own websites.
 * @throws `invalid_parameter` for each other address, with the field's name
 */
export async function assertOwnWebsites(
  { db, tenantId, config }: Context,
  addresses: Record<string, string | null | undefined>,
): Promise<void> {
  const named = Object.entries(addresses).flatMap(([field, address]) => (address ? [{ field, address }] : []));
  if (named.length === 0) return;
  const origins = await readAllowedOrigins(db, tenantId);
  const errors = named
    .filter(({ address }) => !isOnWebsite(address, origins, config.environment))
    .map(({ field, address }) => ({
      code: 'invalid_parameter' as const,
      detail: `${new URL(address).origin} is not among the allowed origins; an administrator lists it under API credentials.`,
      people: `${new URL(address).origin} is not one of your websites. An administrator lists it on the page of API credentials.`,
      source: { pointer: `/${field}` },
    }));
  if (errors.length > 0) throw new CarelaneError(errors);
}
