import { MINUTE } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import { ACCESS_TOKEN_LIFETIME } from './claims.ts';
import { addSigningKey, rereadKeys, withKeysLocked } from './signing-keys.ts';

/** Longer than any process or client goes on with the key set it has read. */
export const PUBLISHED_AHEAD = 10 * MINUTE;
/** For clocks that differ between processes. */
const SAFETY_MARGIN = 1 * MINUTE;

/**
 * Publishes a new key at once and uses it after `aheadMs`. The keys before it stay accepted until the last token they
 * signed is dead, and those whose time is over are deleted. Gives the new key's id.
 */
export async function rotateSigningKeys(services: Services, aheadMs = PUBLISHED_AHEAD): Promise<string> {
  const now = services.clock.now();
  const activeAt = new Date(now.getTime() + aheadMs);
  const retiredAt = new Date(activeAt.getTime() + ACCESS_TOKEN_LIFETIME + SAFETY_MARGIN);
  const kid = await withKeysLocked(services, async (tx) => {
    await tx.signingKey.deleteMany({ where: { retiredAt: { lt: now } } });
    await tx.signingKey.updateMany({ where: { retiredAt: null }, data: { retiredAt } });
    return (await addSigningKey(tx, services, activeAt)).kid;
  });
  rereadKeys(services);
  return kid;
}
