import { sourceOf } from '#server/core/ip-address.ts';
import type { Services } from '../../../core/context.ts';
import { clearLockout } from '../../verification/failures.ts';
import { personKey } from '../../verification/person.ts';
import { portalContext, staffMailbox, staffPerson } from './portal-context.ts';

/**
 * After a reset, whose caller reads the account's mail: unlocks sign-in for new devices and marks the codes that this
 * source requested as used.
 */
export async function endPortalLockout(services: Services, email: string, ip: string): Promise<void> {
  const portal = portalContext(services);
  await clearLockout(portal.db, portal, staffPerson(portal, email), ip);
  await portal.db.codeSend.updateMany({
    where: {
      tenantId: portal.tenantId,
      person: staffMailbox(portal, email),
      answeredAt: null,
      OR: [{ known: true }, { source: personKey(portal, sourceOf(ip)) }],
    },
    data: { answeredAt: portal.clock.now() },
  });
}
