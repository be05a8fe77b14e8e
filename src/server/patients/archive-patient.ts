import type { PatientView } from '#contract/patients.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { record } from '#server/core/record.ts';
import { endAccess } from './end-access.ts';
import { lockPatient, tenantToday } from './patient.ts';
import { getPatientView } from './patient-view.ts';

/**
 * Archives a patient: ends access and retains the records. The caller has locked the patient and verified that no
 * appointment or subscription is active. Idempotent. `details` are for the audit log.
 */
export async function archivePatient(
  tx: Tx,
  ctx: Context,
  id: string,
  details: Record<string, unknown> = {},
): Promise<PatientView> {
  const patient = await lockPatient(ctx, tx, id);
  const today = await tenantToday({ ...ctx, db: tx });
  const ended = { careEndingAt: null, careEndingProblems: [] };
  const where = { tenantId_id: { tenantId: ctx.tenantId, id } };
  if (patient.status === 'archived') {
    if (patient.careEndingAt) await tx.patient.update({ where, data: ended });
    return getPatientView(tx, ctx, id, today);
  }
  const now = ctx.clock.now();
  await tx.patient.update({
    where,
    data: { ...ended, status: 'archived', canSignIn: false, archivedAt: now, updatedAt: now },
  });
  await endAccess(tx, ctx, id);
  const view = await getPatientView(tx, ctx, id, today);
  await record(tx, ctx, {
    action: 'patients.archive',
    object: { type: 'Patient', id },
    patientId: id,
    event: 'patient.archived',
    payload: view,
    details,
  });
  return view;
}
