import type { Actor } from '../core/actor.ts';
import { apiError } from '../core/errors.ts';
import type { MemberRow } from './present-member.ts';

/**
 * Returns the staff user's own id and session.
 * @throws `forbidden` for other actors, who have no account in the portal
 */
export function requireOwnAccount(actor: Actor): { userId: string; sessionId: string | undefined } {
  if (actor.kind !== 'admin' && actor.kind !== 'practitioner' && actor.kind !== 'enrolling')
    throw apiError('forbidden', 'Only staff have an account here.');
  return { userId: actor.userId, sessionId: actor.sessionId };
}

/**
 * Only another admin may make a change that could lock the caller out.
 * @throws `conflict`
 */
export function requireNotSelf(actor: Actor, id: string): void {
  if ('userId' in actor && actor.userId === id)
    throw apiError('conflict', 'This is your own account; ask another administrator.');
}

export const isInvited = ({ passwordHash }: Pick<MemberRow, 'passwordHash'>): boolean => passwordHash === null;

/**
 * Requires an open invitation.
 * @throws `conflict`
 */
export function requireInvited(member: Pick<MemberRow, 'passwordHash'>): void {
  if (!isInvited(member)) throw alreadyJoined();
}

export const alreadyJoined = () => apiError('conflict', 'They have joined the team already.');

/** Whether the member can sign in and run the clinic. */
export const isActiveAdmin = (member: Pick<MemberRow, 'role' | 'disabledAt' | 'passwordHash'>): boolean =>
  member.role === 'admin' && member.disabledAt === null && !isInvited(member);
