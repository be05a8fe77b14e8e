import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';

/** Whether a patient may be let in at all is the clinic's decision: off until an administrator turns it on. */
export async function requireInvites({ db, tenantId }: Context): Promise<void> {
  const { invitesEnabled } = await db.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  if (!invitesEnabled)
    throw refuse('forbidden', 'Inviting patients is off; an administrator can turn it on under API credentials.');
}
