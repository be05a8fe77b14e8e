import { sourceOf } from '#server/core/network-of.ts';
import type { Services } from '../../../core/context.ts';
import { reopen } from '../../proving/closing/in-a-row.ts';
import { personKey } from '../../proving/person.ts';
import { portalContext, staffMailbox, staffPerson } from './portal-context.ts';

/**
 * After a reset: somebody who reads the mail of that address set a new password from here. New devices may sign in again,
 * and what this source asked for is answered.
 */
export async function reopenPortal(services: Services, email: string, ip: string): Promise<void> {
  const portal = portalContext(services);
  await reopen(portal.db, portal, staffPerson(portal, email), ip);
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
