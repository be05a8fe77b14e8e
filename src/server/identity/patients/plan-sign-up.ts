import type { CreatePatientInput } from '#contract/patients.ts';
import type { Context } from '../../core/context.ts';
import { refuse } from '../../core/errors.ts';
import { type NewPatient, planNewPatient } from '../../patients/plan-new-patient.ts';
import { tenantToday } from '../../patients/tenant-today.ts';

/** The rows of whoever signs up: what a patient may write about itself, checked before anybody is looked up. */
export async function planSignUp(
  ctx: Context,
  address: Pick<CreatePatientInput, 'email' | 'phone_number'>,
  attributes: Omit<CreatePatientInput, 'email' | 'phone_number'>,
): Promise<NewPatient> {
  // Whether an external id is taken would tell a stranger who exists.
  if (attributes.external_id !== undefined)
    throw refuse('forbidden', 'external_id is set by your clinic.', { source: { pointer: '/attributes/external_id' } });
  return planNewPatient({ ...attributes, ...address }, await tenantToday(ctx));
}
