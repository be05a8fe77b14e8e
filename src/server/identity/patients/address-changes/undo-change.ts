import type { AddressChangeLinkInput, AddressChangeView } from '#contract/address-changes.ts';
import { asServiceForVisitor, type Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { record } from '#server/core/record.ts';
import { sendMessage } from '#server/messages/index.ts';
import { changeEmail, changePhone } from '#server/patients/index.ts';
import { lockPerson } from '../../verification/person.ts';
import { findChange, getAddressChange, stateOf } from './get-address-change.ts';
import { lockSignIn } from './lock-sign-in.ts';
import { openPreviousAddress, type PreviousAddress } from './previous-address.ts';
import { releaseAddress } from './release-address.ts';
import { determineResetBy, needsOf } from './reset-requirement.ts';

/**
 * Undoes a change of an address with the link that went to the old one: restores it, ends all sessions and pending
 * steps of the patient, and requires a reset with the previous password or by staff. So a person who merely controls a
 * mailbox or number that its owner gave up gains nothing. A repeated call changes nothing and returns the same.
 * @throws `not_found`
 */
export async function undoChange(visitor: Context, { token }: AddressChangeLinkInput): Promise<AddressChangeView> {
  const undo = () => visitor.db.$transaction((tx) => undoIn(tx, visitor, token));
  // Retry once if another patient took the address at this moment; the second run sees it.
  await undo().catch((error) => (isTaken(error) ? undo() : Promise.reject(error)));
  return getAddressChange(visitor, { token });
}

async function undoIn(tx: Tx, visitor: Context, token: string): Promise<void> {
  const { tenantId } = visitor;
  const { patientId } = await findChange(tx, visitor, token);
  await lockPerson(tx, `${tenantId}:${patientId}`);
  const change = await findChange(tx, visitor, token);
  // A single reading of the clock for the whole decision, after a possibly long wait for the lock.
  const now = visitor.clock.now();
  if (stateOf(change, now) !== 'valid') return;
  const ctx = asServiceForVisitor(visitor, 'undo_address_change');
  const { id, kind, createdAt, patient } = change;
  const lockedAt = await lockSignIn(tx, ctx, patientId, { reason: 'change_undone', now });
  // Another process may have set the lock by a clock that is ahead.
  const undoneAt = new Date(Math.max(now.getTime(), lockedAt.getTime()));
  const since = { tenantId, patientId, kind, createdAt: { gt: createdAt } };
  const later = await tx.addressChange.findMany({ where: since });
  const previous = openPreviousAddress(ctx, change);
  const current = kind === 'email' ? patient.email : (patient.signIn?.phoneNumber ?? patient.phoneNumber);
  const restored = await restoreAddress(tx, ctx, {
    patientId,
    previous,
    later: later.map((change) => openPreviousAddress(ctx, change)),
  });
  // Later changes replaced addresses that were never the patient's, so they have nothing to restore.
  await tx.addressChange.updateMany({
    where: { ...since, endedAt: null, undoneAt: null },
    data: { endedAt: undoneAt },
  });
  await tx.addressChange.update({ where: { id }, data: { undoneAt, restored } });
  const resetBy = await determineResetBy(tx, ctx, { patientId, now });
  await tx.patientSignIn.update({ where: { tenantId_patientId: { tenantId, patientId } }, data: { resetBy } });
  await record(tx, ctx, {
    action: 'address_changes.undo',
    object: { type: 'Patient', id: patientId },
    patientId,
    details: { kind, restored, reset_by: resetBy },
  });
  const needs = needsOf(resetBy);
  for (const to of new Set([previous.told, current]))
    if (to) await sendMessage(tx, ctx, { kind: 'change_undone', to, patientId, needs });
}

const isTaken = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';

type Restoration = {
  patientId: string;
  previous: PreviousAddress;
  /** State before later changes of the same kind. */
  later: PreviousAddress[];
};

/**
 * Restores the address before a change, for contact and sign-in. Returns false if another patient has it now; then the
 * patient is left without one.
 */
async function restoreAddress(tx: Tx, ctx: Context, { patientId, previous, later }: Restoration): Promise<boolean> {
  const { tenantId } = ctx;
  await lockPerson(tx, `${tenantId}:${previous.told}`);
  if (previous.kind === 'email') {
    const isFree = await releaseAddress(tx, ctx, { email: previous.told, patientId });
    const email = isFree ? previous.told : null;
    await changeEmail(tx, ctx, patientId, { email, verified: isFree, action: 'patients.restore_email' });
    return isFree;
  }
  const isFree =
    previous.signIn === null || (await releaseAddress(tx, ctx, { phoneNumber: previous.signIn, patientId }));
  const own = { tenantId, patientId, phoneNumber: { not: null } };
  await tx.patientSignIn.updateMany({ where: own, data: { phoneNumber: isFree ? previous.signIn : null } });
  const number = isFree ? previous.primary : null;
  await changePhone(tx, ctx, patientId, {
    number,
    verified: number !== null && (previous.verified || number === previous.told),
    drop: [previous, ...later].flatMap((change) => (change.kind === 'phone' && change.added ? [change.added] : [])),
    action: 'patients.restore_phone',
  });
  return isFree;
}
