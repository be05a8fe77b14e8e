import { MINUTE } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import { ACCESS_TOKEN_LIFETIME } from './claims.ts';
import { addSigningKey, invalidateKeys, withKeysLocked } from './signing-keys.ts';

/** Longer than any process or client uses a cached key set. */
export const PUBLISHED_AHEAD = 10 * MINUTE;
/** Allows for clock skew between processes. */
const SAFETY_MARGIN = 1 * MINUTE;

/**
 * Publishes a new key immediately and uses it after `aheadMs`. Older keys stay accepted until their last token has
 * expired; keys past that point are deleted.
 * @returns the id of the new key
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
  invalidateKeys(services);
  return kid;
}
