import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { findPatient } from './find-patient.ts';
import { mayActFor } from './load-patient.ts';
import type { PatientRecord } from './present-patient.ts';

/**
 * Reads and locks a patient for an update, which serializes changes of one patient.
 *
 * @throws not_found.
 */
export async function lockPatient(ctx: Context, tx: Tx, id: string): Promise<PatientRecord> {
  if (!mayActFor(ctx.actor, id)) throw notFound('patient');
  await tx.$queryRaw`select 1 from patients where tenant_id = ${ctx.tenantId}::uuid and id = ${id}::uuid for update`;
  const patient = await findPatient(tx, ctx.tenantId, id);
  if (!patient) throw notFound('patient');
  return patient;
}
