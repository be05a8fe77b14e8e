import type { Scope } from '#contract/scopes.ts';
import type { ApplicationView } from '#contract/settings.ts';
import type { Prisma } from '../../core/db.ts';

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
