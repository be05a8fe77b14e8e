import { z } from 'zod';
import { flag, Id, LocalDate, Metadata, Paging, TimeZone, text, UtcInstant } from './conventions.ts';
import { by, filters, sortBy } from './filters.ts';

export const AdministrativeGender = z.enum(['unknown', 'male', 'female', 'not_applicable']);
export const GenderIdentity = z.enum([
  'female',
  'male',
  'non_binary',
  'non_disclose',
  'other',
  'transgender_female',
  'transgender_male',
]);
export const PatientStatus = z.enum(['active', 'invited', 'archived']);
const Ethnicity = z.strictObject({ level_2_display: text(100), level_3_display: text(100).nullish() });
const Email = z.email().max(254).toLowerCase();

const AddressView = z.object({
  id: Id,
  line1: z.string().nullable(),
  line2: z.string().nullable(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  zip: z.string().nullable(),
  country: z.string().nullable(),
  label: z.string().nullable(),
  primary: z.boolean(),
  active: z.boolean(),
});
const PhoneView = z.object({
  id: Id,
  number: z.string().meta({ description: 'E.164' }),
  label: z.string().nullable(),
  primary: z.boolean(),
  active: z.boolean(),
});

/** A Patient as every door shows it. */
export const PatientView = z
  .object({
    id: Id,
    tenant_id: Id,
    type: z.literal('Patient'),
    email: z.string().nullable(),
    email_verified: z.boolean(),
    phone_number: z.string().nullable(),
    phone_number_verified: z.boolean(),
    first_name: z.string().nullable(),
    middle_name: z.string().nullable(),
    last_name: z.string().nullable(),
    birth_date: LocalDate.nullable(),
    age: z.int().nullable(),
    administrative_gender: AdministrativeGender,
    gender_identity: GenderIdentity.nullable(),
    races: z.array(z.string()),
    ethnicities: z.array(z.object({ level_2_display: z.string(), level_3_display: z.string().nullable() })),
    addresses: z.array(AddressView),
    phones: z.array(PhoneView),
    tag_list: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
    external_id: z.string().nullable(),
    time_zone: z.string().nullable(),
    status: PatientStatus,
    can_sign_in: z.boolean(),
    archived_at: UtcInstant.nullable(),
    created_at: UtcInstant,
    updated_at: UtcInstant,
  })
  .meta({ component: 'Patient' });
export type PatientView = z.infer<typeof PatientView>;

const AddressAttributes = z.strictObject({
  id: Id.optional(),
  line1: text(200).nullish(),
  line2: text(200).nullish(),
  city: text(100).nullish(),
  state: text(100).nullish(),
  zip: text(20).nullish(),
  country: text(100).nullish(),
  label: text(50).nullish(),
  primary: z.boolean().optional(),
  active: z.boolean().optional(),
  _destroy: flag.optional(),
});
const PhoneAttributes = z.strictObject({
  id: Id.optional(),
  number: text(40).optional(),
  label: text(50).nullish(),
  primary: z.boolean().optional(),
  active: z.boolean().optional(),
  _destroy: flag.optional(),
});

/** What may be written on create and on update alike. */
const writable = {
  first_name: text(100).nullish(),
  middle_name: text(100).nullish(),
  last_name: text(100).nullish(),
  birth_date: LocalDate.nullish(),
  administrative_gender: AdministrativeGender.optional(),
  gender_identity: GenderIdentity.nullish(),
  races: z.array(text(100)).max(20).optional(),
  ethnicities: z.array(Ethnicity).max(20).optional(),
  tag_list: z.array(text(100)).max(100).optional(),
  metadata: Metadata.optional(),
  external_id: text(255).nullish(),
  time_zone: TimeZone.nullish(),
  addresses_attributes: z.array(AddressAttributes).max(20).optional(),
  phones_attributes: z.array(PhoneAttributes).max(20).optional(),
};

export const CreatePatientInput = z.strictObject({
  ...writable,
  email: Email.nullish(),
  phone_number: text(40).nullish().meta({ description: 'Short for one primary phone' }),
});
export type CreatePatientInput = z.infer<typeof CreatePatientInput>;

export const UpdatePatientInput = z.strictObject({ id: Id, ...writable });
export type UpdatePatientInput = z.infer<typeof UpdatePatientInput>;

export const PatientIdInput = z.strictObject({ id: Id });
export const NoInput = z.strictObject({});

export const PATIENT_FILTER_FIELDS = {
  created_at: 'datetime',
  updated_at: 'datetime',
  age: 'integer',
  first_name: 'string',
  last_name: 'string',
  email: 'string',
  id: 'string',
  tags: 'string',
  primary_phone_number: 'string',
  external_id: 'string',
} as const;

export const ListPatientsInput = z.strictObject({
  ...Paging,
  ...filters(PATIENT_FILTER_FIELDS),
  sort_by: sortBy,
  search: text(200).optional().meta({ description: 'Part of a name, e-mail, phone number or external id' }),
  by_first_name: by(),
  by_last_name: by(),
  by_email: by(),
  by_id: by(),
  by_tags: by(),
  by_primary_phone_number: by(),
  by_external_id: by(),
  by_status: by(),
});
export type ListPatientsInput = z.infer<typeof ListPatientsInput>;
