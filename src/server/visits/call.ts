import type { VisitCallPayload } from '#contract/visits.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';

/** Presents the call of an appointment as events contain it. */
export async function presentCall(
  tx: Pick<Tx, 'visitCall'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  appointment: Pick<Appointment, 'id' | 'patientId'>,
): Promise<VisitCallPayload> {
  const call = await tx.visitCall.findFirst({ where: { tenantId, appointmentId: appointment.id } });
  return {
    id: appointment.id,
    patient_id: appointment.patientId,
    started_at: call?.startedAt?.toISOString() ?? null,
    ended_at: call?.endedAt?.toISOString() ?? null,
    ended_by: (call?.endedBy ?? null) as VisitCallPayload['ended_by'],
  };
}

/** Serializes joining, admitting and ending a call. Taken before any of its seats, which prevents deadlocks. */
export const lockCall = (
  tx: Pick<Tx, '$queryRaw'>,
  { tenantId }: Pick<Context, 'tenantId'>,
  { id }: Pick<Appointment, 'id'>,
): Promise<unknown> =>
  tx.$queryRaw`
    select 1 from visit_calls where tenant_id = ${tenantId}::uuid and appointment_id = ${id}::uuid for update`;
