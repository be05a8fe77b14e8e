import type { PatientView } from '#contract/patients.ts';
import type { Patient } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { record } from '#server/core/record.ts';
import { getPatientView } from './patient-view.ts';

/** Marks a patient as invited in the caller's transaction; a repeated invitation is recorded only in the audit log. */
export async function markInvited(tx: Tx, ctx: Context, { id, status }: Patient): Promise<PatientView> {
  const object = { type: 'Patient', id };
  if (status !== 'invited')
    await tx.patient.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id } },
      data: { status: 'invited', updatedAt: ctx.clock.now() },
    });
  const view = await getPatientView(tx, ctx, id);
  if (status === 'invited')
    await record(tx, ctx, { action: 'invitations.resend', object, patientId: id, payload: view });
  else
    await record(tx, ctx, {
      action: 'patients.invite',
      object,
      patientId: id,
      event: 'patient.invited',
      payload: view,
    });
  return view;
}
