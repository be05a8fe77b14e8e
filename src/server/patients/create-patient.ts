import type { CreatePatientInput, PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { insertPatient } from './insert-patient.ts';
import { rethrowUniqueViolation, tenantToday } from './patient.ts';
import { planNewPatient } from './plan-patient.ts';

/** Creates a patient without a sign-in, accessible only by impersonation. */
export async function createPatient(ctx: Context, input: CreatePatientInput): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write', { patients: false });
  const plan = planNewPatient(input, await tenantToday(ctx));
  const id = newId(ctx.clock.now());
  const write = ctx.db.$transaction((tx) =>
    insertPatient(tx, ctx, { id, plan, action: 'patients.create', event: 'patient.created' }),
  );
  return write.catch(rethrowUniqueViolation);
}
