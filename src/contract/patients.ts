import { z } from 'zod';
import { flag, Id, LocalDate, Metadata, Paging, TimeZone, text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { by, filters, sortBy } from './filters.ts';
import { AppAddress } from './origins.ts';

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
export const PatientId = Id.meta({ description: "The patient's id.", examples: [EXAMPLE.patientId] });
const ethnicities = [{ level_2_display: 'Not Hispanic or Latino', level_3_display: null }];
const home = {
  line1: '12 Example Street',
  city: 'Springfield',
  state: 'IL',
  zip: '62701',
  country: 'US',
  label: 'home',
};

const AddressView = z.object({
  id: Id.meta({ examples: [EXAMPLE.addressId] }),
  line1: z
    .string()
    .nullable()
    .meta({ examples: [home.line1] }),
  line2: z
    .string()
    .nullable()
    .meta({ examples: [null] }),
  city: z
    .string()
    .nullable()
    .meta({ examples: [home.city] }),
  state: z
    .string()
    .nullable()
    .meta({ examples: [home.state] }),
  zip: z
    .string()
    .nullable()
    .meta({ examples: [home.zip] }),
  country: z
    .string()
    .nullable()
    .meta({ examples: [home.country] }),
  label: z
    .string()
    .nullable()
    .meta({ examples: [home.label] }),
  primary: z.boolean().meta({ examples: [true] }),
  active: z.boolean().meta({ examples: [true] }),
});
const PhoneView = z.object({
  id: Id.meta({ examples: [EXAMPLE.phoneId] }),
  number: z.string().meta({ description: 'E.164.', examples: ['+12025550123'] }),
  label: z
    .string()
    .nullable()
    .meta({ examples: ['mobile'] }),
  primary: z.boolean().meta({ examples: [true] }),
  active: z.boolean().meta({ examples: [true] }),
});

/** A Patient as every door shows it. */
export const PatientView = z
  .object({
    id: PatientId,
    tenant_id: Id.meta({ description: 'The organisation whose patient this is.', examples: [EXAMPLE.tenantId] }),
    type: z.literal('Patient'),
    email: z
      .string()
      .nullable()
      .meta({ description: 'Lower case, unique in the organisation.', examples: ['ada@example.test'] }),
    email_verified: z.boolean().meta({ description: 'Whether the patient has proved that it is theirs.' }),
    phone_number: z
      .string()
      .nullable()
      .meta({ description: 'The primary phone, E.164.', examples: ['+12025550123'] }),
    phone_number_verified: z.boolean().meta({ description: 'False again whenever the primary phone changes.' }),
    first_name: z
      .string()
      .nullable()
      .meta({ examples: ['Ada'] }),
    middle_name: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
    last_name: z
      .string()
      .nullable()
      .meta({ examples: ['Example'] }),
    birth_date: LocalDate.nullable().meta({ examples: ['1990-04-12'] }),
    age: z
      .int()
      .nullable()
      .meta({ description: 'In years, of `birth_date`.', examples: [36] }),
    administrative_gender: AdministrativeGender.meta({ examples: ['female'] }),
    gender_identity: GenderIdentity.nullable(),
    races: z.array(z.string()).meta({ description: 'OMB values.', examples: [['Asian']] }),
    ethnicities: z
      .array(z.object({ level_2_display: z.string(), level_3_display: z.string().nullable() }))
      .meta({ description: 'OMB values.', examples: [ethnicities] }),
    addresses: z.array(AddressView),
    phones: z.array(PhoneView),
    tag_list: z.array(z.string()).meta({ examples: [['newsletter']] }),
    metadata: z.record(z.string(), z.unknown()).meta({ description: 'Your own JSON.', examples: [{ source: 'web' }] }),
    external_id: z
      .string()
      .nullable()
      .meta({ description: 'Your own id, unique in the organisation.', examples: ['crm-1024'] }),
    time_zone: z
      .string()
      .nullable()
      .meta({ description: 'IANA time zone.', examples: ['America/New_York'] }),
    status: PatientStatus,
    can_sign_in: z.boolean().meta({ description: 'False for one that is reached by impersonation only.' }),
    archived_at: UtcInstant.nullable().meta({ examples: [null] }),
    care_ending_at: UtcInstant.nullable().meta({
      description: 'Since when visits and subscriptions are being ended: nothing new is booked or begun. Else null.',
      examples: [null],
    }),
    created_at: UtcInstant,
    updated_at: UtcInstant,
  })
  .meta({ component: 'Patient' });
export type PatientView = z.infer<typeof PatientView>;

const nested = {
  id: Id.optional().meta({ description: 'Names the one to change; without it, one is added.' }),
  primary: z.boolean().optional().meta({ description: 'Takes it from the others: at most one is primary.' }),
  active: z.boolean().optional().meta({ description: 'True unless said.' }),
  _destroy: flag.optional().meta({ description: 'Drops the one that `id` names.' }),
};
export const AddressAttributes = z.strictObject({
  ...nested,
  line1: text(200).nullish(),
  line2: text(200).nullish(),
  city: text(100).nullish(),
  state: text(100).nullish(),
  zip: text(20).nullish(),
  country: text(100).nullish(),
  label: text(50).nullish(),
});
const PhoneAttributes = z.strictObject({
  ...nested,
  number: text(40).optional().meta({ description: 'With a country code, or of the United States. Needed to add one.' }),
  label: text(50).nullish(),
});

/** What may be written on create and on update alike. */
const writable = {
  first_name: text(100)
    .nullish()
    .meta({ examples: ['Ada'] }),
  middle_name: text(100).nullish(),
  last_name: text(100)
    .nullish()
    .meta({ examples: ['Example'] }),
  birth_date: LocalDate.nullish().meta({ examples: ['1990-04-12'] }),
  administrative_gender: AdministrativeGender.optional().meta({ examples: ['female'] }),
  gender_identity: GenderIdentity.nullish(),
  races: z.array(text(100)).max(20).optional().meta({ description: 'OMB values; replaced whole.' }),
  ethnicities: z.array(Ethnicity).max(20).optional().meta({ description: 'OMB values; replaced whole.' }),
  tag_list: z
    .array(text(100))
    .max(100)
    .optional()
    .meta({ description: 'Replaced whole.', examples: [['newsletter']] }),
  metadata: Metadata.optional().meta({
    description: 'Your own JSON, at most 16 KiB; replaced whole.',
    examples: [{ source: 'web' }],
  }),
  external_id: text(255)
    .nullish()
    .meta({ description: 'Your own id, unique in the organisation.', examples: ['crm-1024'] }),
  time_zone: TimeZone.nullish().meta({ examples: ['America/New_York'] }),
  addresses_attributes: z
    .array(AddressAttributes)
    .max(20)
    .optional()
    .meta({ description: 'Addresses to add, change or drop; the others stay.', examples: [[home]] }),
  phones_attributes: z
    .array(PhoneAttributes)
    .max(20)
    .optional()
    .meta({ description: 'Phones to add, change or drop; the others stay. A primary phone must be active.' }),
};

export const CreatePatientInput = z.strictObject({
  email: Email.nullish().meta({ description: 'Unique in the organisation.', examples: ['ada@example.test'] }),
  phone_number: text(40)
    .nullish()
    .meta({ description: 'Short for one primary phone.', examples: ['+12025550123'] }),
  ...writable,
});
export type CreatePatientInput = z.infer<typeof CreatePatientInput>;

const leadsTo = {
  confirmation_url: AppAddress.nullish().meta({
    description:
      'The page of your app that an invitation by email leads to, on one of your allowed origins. The configuration token stands in its fragment. Without it, the one that the clinic has set, or else our own page.',
    examples: ['https://app.example.test/invitation'],
  }),
  passwordless_login_url: AppAddress.nullish().meta({
    description:
      'The page of your app that an invitation by text message leads to, on one of your allowed origins. Without it, the one that the clinic has set, or else no link.',
    examples: ['https://app.example.test/sign-in'],
  }),
};

/** As for creating; the e-mail or else the phone number is how the patient will sign in. */
export const InvitePatientInput = CreatePatientInput.extend(leadsTo);
export type InvitePatientInput = z.infer<typeof InvitePatientInput>;

/** For a patient who is there already: the e-mail on record, or else the primary phone. */
export const InviteExistingInput = z.strictObject({ id: PatientId, ...leadsTo });
export type InviteExistingInput = z.infer<typeof InviteExistingInput>;

export const UpdatePatientInput = z.strictObject({
  id: PatientId,
  email: Email.nullish().meta({
    description:
      'While `can_sign_in` is false, and not for a patient: another one ends an invitation that went to the one before. Who signs in confirms a new address first.',
    examples: ['ada@example.test'],
  }),
  ...writable,
});
export type UpdatePatientInput = z.infer<typeof UpdatePatientInput>;

export const PatientIdInput = z.strictObject({ id: PatientId });
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
  sort_by: sortBy(['created_at', 'updated_at', 'name']).meta({
    override: { type: 'string' },
    description:
      '`created_at`, `updated_at`, `name` (the last name, then the first), comma-separated, `-` before one for descending; `-created_at` unless said.',
  }),
  search: text(200)
    .optional()
    .meta({ description: 'Words, each a part of a name, email, phone number or external id; commas part words too.' }),
  by_first_name: by(),
  by_last_name: by(),
  by_email: by(),
  by_id: by(),
  by_tags: by(),
  by_primary_phone_number: by(),
  by_external_id: by(),
  by_status: by().meta({
    description: `Any of ${PatientStatus.options.join(', ')}, comma-separated; archived ones are left out unless asked for.`,
  }),
});
export type ListPatientsInput = z.infer<typeof ListPatientsInput>;
