import type { AddressChange } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import type { PatientMessage } from '#server/messages/message.ts';
import { openKept } from './kept.ts';
import { UNDO_LIFETIME } from './note-change.ts';

/** What signing in again takes: the password that the patient had before, or staff who know who it is. */
export type ResetBy = 'password' | 'staff';

type Judging = {
  patientId: string;
  /** The id of a change that counts as undone although it is not yet. */
  undoing?: string;
  /** The instant by which the caller judged that the change is still valid. */
  now: Date;
};

/**
 * Decides what lifts the lock after a change is undone. The password suffices only if at least one change counts as
 * undone, each of these gave its address back, no password was set since (it may be the attacker's), and no other way
 * to sign in is still changed.
 */
export async function judgeReset(
  db: Pick<Tx, 'patientSignIn' | 'addressChange'>,
  ctx: Context,
  { patientId, undoing, now }: Judging,
): Promise<ResetBy> {
  const { tenantId } = ctx;
  const signIn = await db.patientSignIn.findUnique({ where: { tenantId_patientId: { tenantId, patientId } } });
  if (!signIn?.srpIdentity) return 'staff';
  const changes = await db.addressChange.findMany({ where: { tenantId, patientId } });
  const lockedAt = signIn.resetRequiredAt;
  const isUndone = ({ id, undoneAt }: AddressChange) =>
    id === undoing || (undoneAt !== null && lockedAt !== null && undoneAt >= lockedAt);
  const isStanding = ({ undoneAt, endedAt, expiresAt }: AddressChange) => !undoneAt && !endedAt && expiresAt > now;
  const isOfSignIn = ({ kind }: AddressChange) => kind === 'email' || signIn.phoneNumber !== null;
  const undone = changes.filter(isUndone);
  const kinds = new Set(undone.map(({ kind }) => kind));
  // `every` is true of an empty list: without an undone change there is no evidence that the password is the owner's.
  const isOwners =
    undone.length > 0 && undone.every((one) => one.restored !== false && openKept(ctx, one).salt === signIn.salt);
  const isChangedElsewhere = changes.some((one) => isStanding(one) && !kinds.has(one.kind) && isOfSignIn(one));
  return isOwners && !isChangedElsewhere ? 'password' : 'staff';
}

/**
 * Whether an e-mail address has just been given back by undoing a change. Whoever undid it has the mailbox and perhaps no
 * more: a code that is mailed there sets no password, also once the owner is back by theirs, who can take the account
 * elsewhere meanwhile; for as long as a change can be undone. Not after staff have helped.
 */
export async function isJustGivenBack(
  db: Pick<Tx, 'addressChange'>,
  ctx: Context,
  { patientId, email }: { patientId: string; email: string },
): Promise<boolean> {
  const undoneAt = { gt: new Date(ctx.clock.now().getTime() - UNDO_LIFETIME) };
  const where = { tenantId: ctx.tenantId, patientId, kind: 'email', restored: true, undoneAt, endedAt: null };
  return (await db.addressChange.findMany({ where })).some((change) => openKept(ctx, change).told === email);
}

/** In the words of pages and messages. */
export const needsOf = (resetBy: string): 'password' | 'clinic' => (resetBy === 'password' ? 'password' : 'clinic');

/** Instead of a code, while a reset is demanded that a code alone does not give. */
export const pausedMessage = (to: string, resetBy: string): PatientMessage => ({
  kind: 'sign_in_paused',
  to,
  needs: needsOf(resetBy),
});
