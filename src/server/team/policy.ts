import type { Actor } from '../core/actor.ts';
import { refuse } from '../core/errors.ts';
import type { MemberRow } from './present-member.ts';

/** A staff member's own id. Others have no account in the portal: forbidden. */
export function requireOwnAccount(actor: Actor): { userId: string; sessionId: string | undefined } {
  if (actor.kind !== 'admin' && actor.kind !== 'practitioner' && actor.kind !== 'enrolling')
    throw refuse('forbidden', 'Only staff have an account here.');
  return { userId: actor.userId, sessionId: actor.sessionId };
}

/** What would take one's own way in away is another administrator's to do. */
export function requireSomebodyElse(actor: Actor, id: string): void {
  if ('userId' in actor && actor.userId === id)
    throw refuse('conflict', 'This is your own account; ask another administrator.');
}

export const isInvited = ({ passwordHash }: Pick<MemberRow, 'passwordHash'>): boolean => passwordHash === null;

/** Of an invitation that is still open. Error: conflict. */
export function requireInvited(member: Pick<MemberRow, 'passwordHash'>): void {
  if (!isInvited(member)) throw alreadyJoined();
}

export const alreadyJoined = () => refuse('conflict', 'They have joined the team already.');

/** Whether they can sign in and run the clinic. */
export const isActiveAdmin = (member: Pick<MemberRow, 'role' | 'disabledAt' | 'passwordHash'>): boolean =>
  member.role === 'admin' && member.disabledAt === null && !isInvited(member);
