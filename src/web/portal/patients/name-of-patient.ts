import type { PatientView } from '#contract/patients.ts';

type Named = Pick<PatientView, 'first_name' | 'middle_name' | 'last_name' | 'email' | 'phone_number'>;

/** Display name of a patient for staff: the name, or else a contact. */
export function nameOfPatient(patient: Named): string {
  const name = [patient.first_name, patient.middle_name, patient.last_name].filter(Boolean).join(' ');
  return name || patient.email || patient.phone_number || 'No name';
}
