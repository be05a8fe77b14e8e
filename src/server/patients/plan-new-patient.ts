import type { CreatePatientInput } from '#contract/patients.ts';
import { patientColumns } from './patient-columns.ts';
import { refusePatientFaults } from './patient-faults.ts';
import { planAddresses } from './plan-addresses.ts';
import { planPhones } from './plan-phones.ts';

export type NewPatient = ReturnType<typeof planNewPatient>;

/** Works out the rows of a new patient, and refuses what cannot be; `today` is the tenant's date. */
export function planNewPatient(input: CreatePatientInput, today: string) {
  const phones = planPhones([], input);
  const addresses = planAddresses([], input);
  refusePatientFaults(input.birth_date, today, [...phones.faults, ...addresses.faults]);
  return { columns: patientColumns(input), email: input.email ?? null, phones, addresses };
}
