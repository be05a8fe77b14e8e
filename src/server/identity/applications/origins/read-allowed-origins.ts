import type { Db, Tx } from '#server/core/db.ts';
import { anyOriginRoute, originOfRoute } from './origin-route.ts';

export async function readAllowedOrigins(db: Db | Tx, tenantId: string): Promise<string[]> {
  const rows = await db.tenantRoute.findMany({ where: { tenantId, key: anyOriginRoute }, orderBy: { key: 'asc' } });
  return rows.map(({ key }) => originOfRoute(key));
}
