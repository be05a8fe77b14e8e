import type { UpdatePatientInput } from '#contract/patients.ts';
import type { Prisma } from '#generated/prisma/client.ts';

type Fields = Omit<UpdatePatientInput, 'id' | 'email' | 'phones_attributes' | 'addresses_attributes'>;

/** The writable fields as columns; what was not given stays undefined, which Prisma leaves alone. */
export const patientColumns = (input: Fields) => ({
  firstName: input.first_name,
  middleName: input.middle_name,
  lastName: input.last_name,
  birthDate: input.birth_date && new Date(input.birth_date),
  administrativeGender: input.administrative_gender,
  genderIdentity: input.gender_identity,
  races: input.races,
  ethnicities: input.ethnicities?.map(({ level_2_display, level_3_display }) => ({
    level_2_display,
    level_3_display: level_3_display ?? null,
  })),
  tagList: input.tag_list && [...new Set(input.tag_list)],
  metadata: input.metadata as Prisma.InputJsonObject | undefined,
  externalId: input.external_id,
  timeZone: input.time_zone,
});
