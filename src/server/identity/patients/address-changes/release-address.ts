import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { record } from '#server/core/record.ts';
import { CARE_COLUMNS } from '#server/patients/index.ts';
import { isUnconfirmed } from '../sign-ups/pending-sign-up.ts';

type WantedAddress = { patientId: string } & ({ email: string } | { phoneNumber: string });

/**
 * Finds the other patient who has an email or signs in with a number; `isReleasable` for an unconfirmed sign-up, and for
 * a record that was merged into that of the patient who wants the address.
 */
async function findHolder(
  tx: Tx,
  { tenantId }: Context,
  address: WantedAddress,
): Promise<{ id: string; isReleasable: boolean } | null> {
  const holder = await tx.patient.findFirst({
    where: {
      tenantId,
      id: { not: address.patientId },
      ...('email' in address ? { email: address.email } : { signIn: { phoneNumber: address.phoneNumber } }),
    },
    select: {
      id: true,
      status: true,
      mergedInto: true,
      ...CARE_COLUMNS,
      signIn: { select: { confirmedAt: true, temporaryUntil: true } },
    },
  });
  if (!holder) return null;
  const { id, signIn, mergedInto } = holder;
  const isSignUp = signIn !== null && isUnconfirmed({ ...signIn, patient: holder });
  return { id, isReleasable: isSignUp || mergedInto === address.patientId };
}

/** Returns whether another patient has the address and more than an unconfirmed sign-up. */
export const isAddressTaken = async (tx: Tx, ctx: Context, address: WantedAddress): Promise<boolean> => {
  const holder = await findHolder(tx, ctx, address);
  return holder !== null && !holder.isReleasable;
};

/**
 * Returns whether an address is free for a patient, taking it from a record that was merged into theirs, and from an
 * unconfirmed sign-up: otherwise an attacker could block an address by typing it. The caller holds the address's lock.
 */
export async function releaseAddress(tx: Tx, ctx: Context, address: WantedAddress): Promise<boolean> {
  const { tenantId } = ctx;
  const holder = await findHolder(tx, ctx, address);
  if (!holder) return true;
  if (!holder.isReleasable) return false;
  const { id } = holder;
  const own = { tenantId, patientId: id };
  await tx.oneTimeCode.deleteMany({ where: own });
  // The pending sign-up stays without a patient: its device must not learn of this.
  await tx.signUpAttempt.updateMany({ where: own, data: { patientId: null } });
  if ('email' in address)
    await tx.patient.update({ where: { tenantId_id: { tenantId, id } }, data: { email: null, emailVerified: false } });
  else await tx.patientSignIn.update({ where: { tenantId_patientId: own }, data: { phoneNumber: null } });
  await record(tx, ctx, { action: 'patients.release_address', object: { type: 'Patient', id }, patientId: id });
  return true;
}
