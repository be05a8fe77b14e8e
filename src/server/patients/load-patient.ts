import type { Patient } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { mayActFor } from './policy.ts';

/**
 * The patient's row, when the actor may act for that patient; anybody else's is not found. Scopes are the caller's to
 * check. Pass the transaction to read inside it.
 */
export async function loadPatientFor(
  ctx: Context,
  patientId: string,
  db: Pick<Tx, 'patient'> = ctx.db,
): Promise<Patient> {
  if (!isId(patientId) || !mayActFor(ctx.actor, patientId)) throw notFound('patient');
  const patient = await db.patient.findFirst({ where: { tenantId: ctx.tenantId, id: patientId } });
  if (!patient) throw notFound('patient');
  return patient;
}
