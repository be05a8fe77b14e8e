import type { Actor } from '../core/actor.ts';
import type { Services } from '../core/context.ts';
import { createOneSecondMemory } from './one-second-memory.ts';
import { perDatabase } from './per-database.ts';

const memoryOf = perDatabase(() => createOneSecondMemory<Actor | null>());

/**
 * Who a session's user is now, as of at most a second ago: the role in the session is never relied on, so that a changed
 * role or a disabled user bites at once. Null when there is no such user any more.
 */
export function staffActor(
  services: Services,
  { userId, tenantId }: { userId: string; tenantId: string },
): Promise<Actor | null> {
  return memoryOf(services).get(`${tenantId}/${userId}`, async () => {
    const user = await services.database.forTenant(tenantId).staffUser.findFirst({
      where: { tenantId, id: userId, disabledAt: null },
      select: { role: true },
    });
    return user && { kind: user.role as 'practitioner' | 'admin', tenantId, userId };
  });
}
