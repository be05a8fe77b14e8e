import type { Patient } from '#generated/prisma/client.ts';
import { type Actor, isStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { findPatient, type PatientRecord } from './patient.ts';

/**
 * True when the actor may access the patient: applications, staff users and the system any patient of their tenant, a
 * patient only themselves.
 */
export const mayActFor = (actor: Actor, patientId: string): boolean =>
  isStaff(actor) ||
  actor.kind === 'application' ||
  actor.kind === 'system' ||
  (actor.kind === 'patient' && actor.patientId === patientId);

/**
 * Returns the patient's row when the actor may access it; the caller checks scopes. Pass the transaction to read inside
 * it.
 *
 * @throws not_found.
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

/** Finds the tenant's patient by email in any case, archived or not; without an access check. */
export const findPatientByEmail = (ctx: Pick<Context, 'db' | 'tenantId'>, email: string): Promise<Patient | null> =>
  ctx.db.patient.findFirst({ where: { tenantId: ctx.tenantId, email: email.trim().toLowerCase() } });

/** Throws `invalid_parameter` when the given `patient_id` is not the owner of the resource. */
export function assertOwner({ patientId }: { patientId: string | null }, requestedId: string | undefined): void {
  if (requestedId === undefined || requestedId === patientId) return;
  throw apiError('invalid_parameter', '"patient_id" names another patient than whose this is; leave it out.', {
    people: 'This is another patient’s.',
    source: { pointer: '/patient_id' },
  });
}

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
