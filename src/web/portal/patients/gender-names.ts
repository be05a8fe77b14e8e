import type { z } from 'zod';
import type { AdministrativeGender, GenderIdentity } from '#contract/patients.ts';

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
