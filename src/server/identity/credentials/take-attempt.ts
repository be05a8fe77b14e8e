import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { IN_CARE } from '../../patients/in-care.ts';
import type { NewPatient } from '../../patients/plan-new-patient.ts';
import { replacePatient } from '../../patients/replace-patient.ts';
import { asPatient } from '../as-patient.ts';
import type { Inputs } from '../inputs.ts';
import { registrationColumns } from '../srp/verifier.ts';

/** What one sign-up said; kept encrypted with the code that it mailed. */
export type Attempt = Pick<Inputs['signUp'], 'srp' | 'attributes'>;

type Taking = { patientId: string; clientId: string; srp: Attempt['srp']; plan: NewPatient };

/** Lets the attempt whose code was told be the one that counts, password and attributes together. */
export async function takeAttempt(tx: Tx, ctx: Context, { patientId, clientId, srp, plan }: Taking): Promise<void> {
  const waiting = { confirmedAt: null, temporaryUntil: null, srpIdentity: { not: srp.identity } };
  const { count } = await tx.patientSignIn.updateMany({
    where: { tenantId: ctx.tenantId, patientId, patient: IN_CARE, ...waiting },
    data: registrationColumns(ctx, patientId, srp),
  });
  if (count === 0) return;
  await replacePatient(tx, asPatient(ctx, patientId, clientId), { id: patientId, plan, action: 'patients.sign_up' });
}
