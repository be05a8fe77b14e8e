import type { EndSessionInput, PatientSessionsInput, PatientSessionView } from '#contract/patient-sign-in.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { loadPatientFor } from '#server/patients/index.ts';
import { endSessions } from '../../sessions/end-sessions.ts';
import { presentSession } from './get-patient-sign-in.ts';

/** Signs a patient out everywhere. */
export async function endPatientSessions(ctx: Context, { patient_id }: PatientSessionsInput): Promise<void> {
  requireStaff(ctx.actor, 'patients:write');
  await ctx.db.$transaction(async (tx) => {
    const { id } = await loadPatientFor(ctx, patient_id, tx);
    await endSessions(tx, ctx, { patientId: id }, 'revoked');
  });
}

/** Signs a patient out of one device; an ended session stays unchanged. */
export async function endPatientSession(ctx: Context, input: EndSessionInput): Promise<PatientSessionView> {
  requireStaff(ctx.actor, 'patients:write');
  return ctx.db.$transaction(async (tx) => {
    const where = { tenantId: ctx.tenantId, patientId: input.patient_id, id: input.session_id };
    if (!(await tx.patientSession.findFirst({ where }))) throw notFound('session');
    await endSessions(tx, ctx, { id: input.session_id }, 'revoked');
    return presentSession(await tx.patientSession.findFirstOrThrow({ where }), ctx.clock.now());
  });
}
