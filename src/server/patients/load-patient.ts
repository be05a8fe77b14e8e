import type { Patient } from '#generated/prisma/client.ts';
import { type Actor, isStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { notFound } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';

/** Applications, staff and the service itself act for any patient of their tenant; a patient only for itself. */
export const mayActFor = (actor: Actor, patientId: string): boolean =>
  isStaff(actor) ||
  actor.kind === 'application' ||
  actor.kind === 'system' ||
  (actor.kind === 'patient' && actor.patientId === patientId);

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

/** For the service's own use: the tenant's patient with that e-mail in any case, archived or not. */
export const findPatientByEmail = (ctx: Pick<Context, 'db' | 'tenantId'>, email: string): Promise<Patient | null> =>
  ctx.db.patient.findFirst({ where: { tenantId: ctx.tenantId, email: email.trim().toLowerCase() } });
