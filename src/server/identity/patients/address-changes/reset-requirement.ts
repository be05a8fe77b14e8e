import type { AddressChange } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import type { PatientMessage } from '#server/messages/index.ts';
import { UNDO_LIFETIME } from './notify-change.ts';
import { openPreviousAddress } from './previous-address.ts';

/** What signing in again requires: the patient's previous password, or staff who check the identity. */
export type ResetBy = 'password' | 'staff';

type ResetInput = {
  patientId: string;
  /** Id of a change that counts as undone although it is not undone yet. */
  undoing?: string;
  /** The instant at which the caller checked that the change is still valid. */
  now: Date;
};

/**
 * Decides what lifts the lock after a change is undone. The password suffices only if at least one change counts as
 * undone, each of these restored its address, no password was set since (it may be the attacker's), and no other way to
 * sign in is still changed.
 */
export async function determineResetBy(
  db: Pick<Tx, 'patientSignIn' | 'addressChange'>,
  ctx: Context,
  { patientId, undoing, now }: ResetInput,
): Promise<ResetBy> {
  const { tenantId } = ctx;
  const signIn = await db.patientSignIn.findUnique({ where: { tenantId_patientId: { tenantId, patientId } } });
  if (!signIn?.srpIdentity) return 'staff';
  const changes = await db.addressChange.findMany({ where: { tenantId, patientId } });
  const lockedAt = signIn.resetRequiredAt;
  const isUndone = ({ id, undoneAt }: AddressChange) =>
    id === undoing || (undoneAt !== null && lockedAt !== null && undoneAt >= lockedAt);
  const isInEffect = ({ undoneAt, endedAt, expiresAt }: AddressChange) => !undoneAt && !endedAt && expiresAt > now;
  const isOfSignIn = ({ kind }: AddressChange) => kind === 'email' || signIn.phoneNumber !== null;
  const undone = changes.filter(isUndone);
  const kinds = new Set(undone.map(({ kind }) => kind));
  // `every` is true for an empty list: without an undone change there is no evidence that the password is the owner's.
  const isOwnersPassword =
    undone.length > 0 &&
    undone.every((change) => change.restored !== false && openPreviousAddress(ctx, change).salt === signIn.salt);
  const isChangedElsewhere = changes.some(
    (change) => isInEffect(change) && !kinds.has(change.kind) && isOfSignIn(change),
  );
  return isOwnersPassword && !isChangedElsewhere ? 'password' : 'staff';
}

/**
 * Returns whether an undone change has restored this email address within the undo period. Its caller controls the
 * mailbox and perhaps nothing else: a mailed code must not set a password, even after the owner has signed in by
 * password, so that the owner has time to choose another address. Not after staff have helped.
 */
export async function isRecentlyRestored(
  db: Pick<Tx, 'addressChange'>,
  ctx: Context,
  { patientId, email }: { patientId: string; email: string },
): Promise<boolean> {
  const undoneAt = { gt: new Date(ctx.clock.now().getTime() - UNDO_LIFETIME) };
  const where = { tenantId: ctx.tenantId, patientId, kind: 'email', restored: true, undoneAt, endedAt: null };
  return (await db.addressChange.findMany({ where })).some((change) => openPreviousAddress(ctx, change).told === email);
}

/** Maps to the value in pages and messages. */
export const needsOf = (resetBy: string): 'password' | 'clinic' => (resetBy === 'password' ? 'password' : 'clinic');

/** Sent instead of a code while a reset is required for which a code is not enough. */
export const pausedMessage = (to: string, resetBy: string): PatientMessage => ({
  kind: 'sign_in_paused',
  to,
  needs: needsOf(resetBy),
});
