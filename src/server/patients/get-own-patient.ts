import type { PatientView } from '#contract/patients.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { getPatient } from './get-patient.ts';

/** Returns the signed-in or impersonated patient. */
export function getOwnPatient(ctx: Context): Promise<PatientView> {
  if (ctx.actor.kind !== 'patient') throw apiError('forbidden', 'Only a signed-in patient can be read as "me".');
  return getPatient(ctx, { id: ctx.actor.patientId });
}
