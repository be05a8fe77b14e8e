import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';

/**
 * Returns the id of the signed-in staff user.
 *
 * @throws 403 for all others.
 */
export function ownId({ actor }: Pick<Context, 'actor'>): string {
  requireStaff(actor, 'appointments:read');
  if (!('userId' in actor)) throw apiError('forbidden', 'Only staff users have appointments of their own.');
  return actor.userId;
}
