import { confirmPatient, IN_CARE } from '#server/patients/index.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { asPatient } from '../verification/request-context.ts';
import { markInvitationAnswered } from './invitation/sent-invitations.ts';

type Confirming = {
  patientId: string;
  clientId: string;
  verified: { emailVerified?: true; phoneNumberVerified?: true };
};

/**
 * Lets a patient who verified an address sign in from now on. For a confirmed patient it only records a newly verified
 * address, for example one that staff set.
 */
export async function confirmSignIn(
  tx: Tx,
  ctx: Context,
  { patientId, clientId, verified }: Confirming,
): Promise<void> {
  const { count } = await tx.patientSignIn.updateMany({
    where: { tenantId: ctx.tenantId, patientId, confirmedAt: null, patient: IN_CARE },
    data: { confirmedAt: ctx.clock.now(), temporaryUntil: null, invitation: null },
  });
  const patientCtx = asPatient(ctx, patientId, clientId);
  if (count === 0) {
    const fields = Object.keys(verified) as (keyof typeof verified)[];
    const where = {
      tenantId: ctx.tenantId,
      id: patientId,
      ...IN_CARE,
      OR: fields.map((field) => ({ [field]: false })),
    };
    if (fields.length === 0 || (await tx.patient.count({ where })) === 0) return;
    const change = { id: patientId, flags: verified, action: 'patients.confirm_address' as const };
    return confirmPatient(tx, patientCtx, { ...change, event: 'patient.updated' });
  }
  await markInvitationAnswered(tx, ctx, patientId);
  await confirmPatient(tx, patientCtx, {
    id: patientId,
    flags: { ...verified, canSignIn: true, status: 'active' },
    action: 'patients.confirm',
    event: 'patient.confirmed',
  });
}
