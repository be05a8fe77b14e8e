import { MINUTE } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import { perDatabase } from '../per-database.ts';
import type { ClientState } from '../tokens/client-state.ts';

const MAX_REMEMBERED = 20_000;
const notedAtOf = perDatabase(() => new Map<string, number>());

/** Writes when a client was last seen, at most once a minute and without making its request wait. */
export function noteUse(services: Services, { id, tenantId }: Pick<ClientState, 'id' | 'tenantId'>): void {
  const notedAt = notedAtOf(services);
  const now = services.clock.now();
  if (now.getTime() - (notedAt.get(id) ?? 0) < MINUTE) return;
  if (notedAt.size >= MAX_REMEMBERED) notedAt.clear();
  notedAt.set(id, now.getTime());
  services.database
    .forTenant(tenantId)
    .application.update({ where: { id }, data: { lastUsedAt: now }, select: { id: true } })
    .catch((error: Error) => services.log.warn({ err: error.message }, 'last use of a client not noted'));
}
