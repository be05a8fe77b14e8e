import type { CreatePatientInput } from '#contract/patients.ts';
import { newId } from '#server/core/ids.ts';
import { type NestedPlan, planNestedRows } from './plan-nested-rows.ts';
import type { PatientRecord } from './present-patient.ts';

export type AddressRow = PatientRecord['addresses'][number];

/** Plans the changes of a patient's addresses from the request. */
export function planAddresses(
  existing: AddressRow[],
  input: Pick<CreatePatientInput, 'addresses_attributes'>,
): NestedPlan<AddressRow> {
  const changes = (input.addresses_attributes ?? []).map((attributes, index) => ({
    pointer: `/addresses_attributes/${index}`,
    attributes,
  }));
  const empty = { line1: null, line2: null, city: null, state: null, zip: null, country: null, label: null };
  return planNestedRows('address', existing, changes, () => ({ id: newId(), ...empty, primary: false, active: true }));
}
