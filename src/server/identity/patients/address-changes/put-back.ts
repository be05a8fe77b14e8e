import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { changeEmail } from '#server/patients/change-email.ts';
import { changePhone } from '#server/patients/change-phone.ts';
import { lockPerson } from '../../proving/person.ts';
import type { Kept } from './kept.ts';
import { takeFromUnproved } from './take-from-unproved.ts';

type Undoing = {
  patientId: string;
  kept: Kept;
  /** State before later changes of the same kind. */
  later: Kept[];
};

/**
 * Restores the address before a change, for contact and sign-in. Returns false if another patient has it now; then the
 * patient is left without one.
 */
export async function putBack(tx: Tx, ctx: Context, { patientId, kept, later }: Undoing): Promise<boolean> {
  const { tenantId } = ctx;
  await lockPerson(tx, `${tenantId}:${kept.told}`);
  if (kept.kind === 'email') {
    const isFree = await takeFromUnproved(tx, ctx, { email: kept.told, patientId });
    const email = isFree ? kept.told : null;
    await changeEmail(tx, ctx, patientId, { email, verified: isFree, action: 'patients.restore_email' });
    return isFree;
  }
  const isFree = kept.signIn === null || (await takeFromUnproved(tx, ctx, { phoneNumber: kept.signIn, patientId }));
  const own = { tenantId, patientId, phoneNumber: { not: null } };
  await tx.patientSignIn.updateMany({ where: own, data: { phoneNumber: isFree ? kept.signIn : null } });
  const number = isFree ? kept.primary : null;
  await changePhone(tx, ctx, patientId, {
    number,
    verified: number !== null && (kept.verified || number === kept.told),
    drop: [kept, ...later].flatMap((one) => (one.kind === 'phone' && one.added ? [one.added] : [])),
    action: 'patients.restore_phone',
  });
  return isFree;
}
