import type { z } from 'zod';
import type { AdministrativeGender, GenderIdentity, PatientView } from '#contract/patients.ts';
import { formatPlainDate } from '#web/ui/format-time.ts';

type Named = Pick<PatientView, 'first_name' | 'middle_name' | 'last_name' | 'email' | 'phone_number'>;

/** Display name of a patient for staff: the name, or else a contact. */
export function nameOfPatient(patient: Named): string {
  const name = [patient.first_name, patient.middle_name, patient.last_name].filter(Boolean).join(' ');
  return name || patient.email || patient.phone_number || 'No name';
}

/** What tells patients apart in a list, and how to call them. */
export type PatientLabel = { name: string; birthDate: string | null; phone: string | null };

export const labelOfPatient = (patient: Named & Pick<PatientView, 'birth_date'>): PatientLabel => ({
  name: nameOfPatient(patient),
  birthDate: patient.birth_date,
  phone: patient.phone_number,
});

/** "born Feb 28, 1990"; null without a date. */
export const bornLabel = (birthDate: string | null): string | null => birthDate && `born ${formatPlainDate(birthDate)}`;

export const ADMINISTRATIVE_GENDERS: Record<z.infer<typeof AdministrativeGender>, string> = {
  unknown: 'Not known',
  female: 'Female',
  male: 'Male',
  not_applicable: 'Not applicable',
};

export const GENDER_IDENTITIES: Record<z.infer<typeof GenderIdentity>, string> = {
  female: 'Female',
  male: 'Male',
  non_binary: 'Non-binary',
  transgender_female: 'Transgender female',
  transgender_male: 'Transgender male',
  other: 'Other',
  non_disclose: 'Prefers not to say',
};

export function toOptions(names: Record<string, string>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}
