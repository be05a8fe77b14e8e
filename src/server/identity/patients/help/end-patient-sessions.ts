import type { PatientSessionsInput } from '#contract/patient-sign-in.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { loadPatientFor } from '#server/patients/load-patient.ts';
import { endSessions } from '../../sessions/end-sessions.ts';

/** Signs a patient out everywhere. */
export async function endPatientSessions(ctx: Context, { patient_id }: PatientSessionsInput): Promise<void> {
  requireStaff(ctx.actor);
  await ctx.db.$transaction(async (tx) => {
    const { id } = await loadPatientFor(ctx, patient_id, tx);
    await endSessions(tx, ctx, { patientId: id }, 'revoked');
  });
}
