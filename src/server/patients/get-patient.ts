import type { PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { mayActFor, tenantToday } from './patient.ts';
import { findPatientView } from './patient-view.ts';

/** Returns one patient, also an archived one. */
export async function getPatient(ctx: Context, input: { id: string }): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:read');
  if (!mayActFor(ctx.actor, input.id)) throw notFound('patient');
  const today = await tenantToday(ctx);
  const patient = await findPatientView(ctx.db, ctx, input.id, today);
  if (!patient) throw notFound('patient');
  return patient;
}

/** Returns the signed-in or impersonated patient. */
export function getOwnPatient(ctx: Context): Promise<PatientView> {
  if (ctx.actor.kind !== 'patient') throw apiError('forbidden', 'Only a signed-in patient can be read as "me".');
  return getPatient(ctx, { id: ctx.actor.patientId });
}
