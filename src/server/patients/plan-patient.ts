import { type CreatePatientInput, EARLIEST_BIRTH_DATE, type UpdatePatientInput } from '#contract/patients.ts';
import type { Prisma } from '#generated/prisma/client.ts';
import { CarelaneError, type Fault } from '#server/core/errors.ts';
import { planAddresses, planPhones } from './nested-rows.ts';
import { racesToTexts } from './patient.ts';

export type NewPatient = ReturnType<typeof planNewPatient>;

/**
 * Plans the rows of a new patient and validates the input; `today` is the tenant's date, `more` holds fields that only
 * a sign-up sets.
 */
export function planNewPatient(input: CreatePatientInput, today: string, more: { termsAcceptedAt?: Date } = {}) {
  const phones = planPhones([], input);
  const addresses = planAddresses([], input);
  assertValidPatient(input.birth_date, today, [...phones.faults, ...addresses.faults]);
  return { columns: { ...patientColumns(input), ...more }, email: input.email ?? null, phones, addresses };
}

type Fields = Omit<UpdatePatientInput, 'id' | 'email' | 'phones_attributes' | 'addresses_attributes'>;

/** Maps the writable fields to columns; omitted fields stay undefined, which Prisma ignores. */
export const patientColumns = (input: Fields) => ({
  firstName: input.first_name,
  middleName: input.middle_name,
  lastName: input.last_name,
  birthDate: input.birth_date && new Date(input.birth_date),
  administrativeGender: input.administrative_gender,
  genderIdentity: input.gender_identity,
  races: input.races && racesToTexts(input.races),
  ethnicities: input.ethnicities?.map(({ level_2_display, level_3_display }) => ({
    level_2_display,
    level_3_display: level_3_display ?? null,
  })),
  tagList: input.tag_list && [...new Set(input.tag_list)],
  metadata: input.metadata as Prisma.InputJsonObject | undefined,
  externalId: input.external_id,
  timeZone: input.time_zone,
  language: input.language,
});

/** Throws all validation errors at once, including a birth date out of range. */
export function assertValidPatient(birthDate: string | null | undefined, today: string, faults: Fault[]): void {
  const all = [...faults];
  const addDateFault = (detail: string) =>
    all.unshift({ code: 'invalid_parameter', detail, source: { pointer: '/birth_date' } });
  if (birthDate && birthDate > today) addDateFault('The date of birth lies in the future. Check the date.');
  if (birthDate && birthDate < EARLIEST_BIRTH_DATE) addDateFault('The date of birth lies before 1900. Check the year.');
  if (all.length > 0) throw new CarelaneError(all);
}
