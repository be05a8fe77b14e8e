import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { forgetCodes } from '../codes/forget-codes.ts';
import { forgetDevices } from '../devices/known-device.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import { type Kept, openKept } from './kept.ts';

/** What signing in again takes: the password that the patient had before, or staff who know who it is. */
export type ResetBy = 'password' | 'staff';

/**
 * Ends all that was begun in a patient's name and demands a reset. Codes and steps come first, which waits for whoever
 * is just using one up; then the lock, which every new session looks at; then the sessions, for by now there are all.
 */
export async function lockSignIn(tx: Tx, ctx: Context, patientId: string): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  await forgetCodes(tx, ctx, patientId);
  await tx.$executeRaw`
    update patient_sign_ins set reset_by = 'staff', reset_required_at = coalesce(reset_required_at, ${now}::timestamptz)
    where tenant_id = ${tenantId}::uuid and patient_id = ${patientId}::uuid`;
  await endSessions(tx, ctx, { patientId }, 'change_undone');
  await forgetDevices(tx, ctx, { patientId });
}

/**
 * Whether the password may lift the lock. Not when the address could not be given back, when a password was set since
 * one of the changes that were undone, for it may be the thief's, or while another way to sign in is still changed.
 */
export async function decideReset(tx: Tx, ctx: Context, patientId: string, isRestored: boolean): Promise<ResetBy> {
  const { tenantId } = ctx;
  const where = { tenantId_patientId: { tenantId, patientId } };
  const signIn = await tx.patientSignIn.findUniqueOrThrow({ where });
  const changes = await tx.addressChange.findMany({ where: { tenantId, patientId } });
  const undone = changes.filter((one) => one.undoneAt && one.undoneAt >= signIn.resetRequiredAt!);
  const standing = changes.filter((one) => !one.undoneAt && !one.endedAt && one.expiresAt > ctx.clock.now());
  const isPasswordOfThen = (kept: Kept) => kept.salt === signIn.salt;
  const isOfSignIn = (kept: Kept) => kept.kind === 'email' || signIn.phoneNumber !== null;
  const open = (one: (typeof changes)[number]) => openKept(ctx, one);
  const kinds = new Set(undone.map(({ kind }) => kind));
  const byPassword =
    isRestored &&
    signIn.srpIdentity !== null &&
    undone.every((one) => one.restored && isPasswordOfThen(open(one))) &&
    !standing.some((one) => !kinds.has(one.kind) && isOfSignIn(open(one)));
  const resetBy = byPassword ? 'password' : 'staff';
  await tx.patientSignIn.update({ where, data: { resetBy } });
  return resetBy;
}
