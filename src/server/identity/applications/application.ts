import type { Scope } from '#contract/scopes.ts';
import type { ApplicationView } from '#contract/settings.ts';
import { requireAdmin } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import type { Prisma, Tx } from '../../core/db.ts';
import { notFound } from '../../core/errors.ts';
import { newId, newToken } from '../../core/ids.ts';

/** The query that the presenter needs: the row with its live secrets, newest first. */
export const withLiveSecrets = {
  secrets: { where: { revokedAt: null }, orderBy: { createdAt: 'desc' } },
} as const satisfies Prisma.ApplicationInclude;

type Row = Prisma.ApplicationGetPayload<{ include: typeof withLiveSecrets }>;

export const presentApplication = (row: Row): ApplicationView => ({
  id: row.id,
  client_id: row.id,
  name: row.name,
  scopes: row.scopes as Scope[],
  secrets: row.secrets.map(({ id, hint, lastUsedAt, createdAt }) => ({
    id,
    hint,
    last_used_at: lastUsedAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  })),
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  revoked_at: row.revokedAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
});

/** Reads a server application of the tenant and locks it, so that concurrent changes are serialized. */
export async function lockApplication(tx: Tx, ctx: Context, id: string) {
  await tx.$queryRaw`select id from applications where id = ${id}::uuid for update`;
  const row = await tx.application.findFirst({
    where: { tenantId: ctx.tenantId, id, kind: 'server' },
    include: withLiveSecrets,
  });
  if (!row) throw notFound('application');
  return row;
}

const HINT_LENGTH = 4;
/** One in use and its successor. */
export const MAX_LIVE_SECRETS = 2;

/** Creates a secret of 256 random bits. A plain SHA-256 is enough to store, because 2^256 values cannot be searched. */
export function makeClientSecret(now: Date) {
  const secret = `cs_${newToken()}`;
  return {
    secret,
    row: { id: newId(now), hash: sha256(secret), hint: secret.slice(-HINT_LENGTH), createdAt: now },
  };
}

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
