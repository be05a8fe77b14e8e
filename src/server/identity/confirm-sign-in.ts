import type { Context } from '../core/context.ts';
import type { Tx } from '../core/db.ts';
import { confirmPatient } from '../patients/confirm-patient.ts';
import { IN_CARE } from '../patients/in-care.ts';
import { asPatient } from './as-patient.ts';

type Confirming = {
  patientId: string;
  clientId: string;
  proved: { emailVerified?: true; phoneNumberVerified?: true };
};

/** Lets a patient sign in from now on, who has proved an address; again changes nothing. */
export async function confirmSignIn(tx: Tx, ctx: Context, { patientId, clientId, proved }: Confirming): Promise<void> {
  const { count } = await tx.patientSignIn.updateMany({
    where: { tenantId: ctx.tenantId, patientId, confirmedAt: null, patient: IN_CARE },
    data: { confirmedAt: ctx.clock.now(), temporaryUntil: null, invitation: null },
  });
  if (count === 0) return;
  await confirmPatient(tx, asPatient(ctx, patientId, clientId), {
    id: patientId,
    proved: { ...proved, canSignIn: true, status: 'active' },
    action: 'patients.confirm',
    event: 'patient.confirmed',
  });
}
