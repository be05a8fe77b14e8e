import { z } from 'zod';
import { flag, Id, Language, LocalDate, Metadata, TimeZone, text, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { AppAddress } from './origins.ts';

/** Races and ethnicities of the Office of Management and Budget (OMB). */
const Level = text(100).refine((name) => !/\p{Cc}/u.test(name), 'must not contain control characters');
const Levels = z.strictObject({ level_2_display: Level, level_3_display: Level.nullish() });
const LevelsView = z.object({ level_2_display: z.string(), level_3_display: z.string().nullable() });
/** A plain text is the second level. */
const Race = z.union([Level.transform((level_2_display) => ({ level_2_display })), Levels]).meta({
  override: {
    anyOf: [
      { type: 'string', minLength: 1, maxLength: 100 },
      {
        type: 'object',
        properties: {
          level_2_display: { type: 'string', minLength: 1, maxLength: 100 },
          level_3_display: { type: ['string', 'null'], minLength: 1, maxLength: 100 },
        },
        required: ['level_2_display'],
        additionalProperties: false,
      },
    ],
  },
});

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
const Email = z.email().max(254).toLowerCase();
/** For resources that have their own id: the owner is optional, but must match when it is given. */
export const OWNING_PATIENT = {
  description:
    'For compatibility with older clients: the patient who owns it. The request is rejected when it does not match.',
  deprecated: true,
};
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

/** A patient as all interfaces return it. */
export const PatientView = z
  .object({
    id: PatientId,
    tenant_id: Id.meta({ description: 'The organisation that the patient belongs to.', examples: [EXAMPLE.tenantId] }),
    type: z.literal('Patient'),
    email: z
      .string()
      .nullable()
      .meta({ description: 'Lower case, unique in the organisation.', examples: ['ada@example.test'] }),
    email_verified: z.boolean().meta({ description: 'Whether the patient has verified it.' }),
    phone_number: z
      .string()
      .nullable()
      .meta({ description: 'The primary phone, E.164.', examples: ['+12025550123'] }),
    phone_number_verified: z.boolean().meta({ description: 'Becomes false whenever the primary phone changes.' }),
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
      .meta({ description: 'In years, computed from `birth_date`.', examples: [36] }),
    administrative_gender: AdministrativeGender.meta({ examples: ['female'] }),
    gender_identity: GenderIdentity.nullable(),
    races: z.array(LevelsView).meta({
      description: 'OMB values.',
      examples: [[{ level_2_display: 'Asian', level_3_display: null }]],
    }),
    ethnicities: z.array(LevelsView).meta({ description: 'OMB values.', examples: [ethnicities] }),
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
    language: z
      .string()
      .nullable()
      .meta({
        description:
          'BCP 47 tag of the language that the patient reads; messages use it when the clinic has a translation.',
        examples: ['es-US'],
      }),
    status: PatientStatus,
    can_sign_in: z.boolean().meta({
      description: 'False for a patient who cannot sign in; only applications act for them, by impersonation.',
    }),
    accepted_terms_of_service_at: UtcInstant.nullable().meta({
      description:
        'When the patient accepted them at sign-up, by `accepted_terms_of_service`; null when the app did not ask for it.',
      examples: [null],
    }),
    archived_at: UtcInstant.nullable().meta({ examples: [null] }),
    care_ending_at: UtcInstant.nullable().meta({
      description:
        'When the ending of appointments and subscriptions started: nothing new can be booked or started. Otherwise null.',
      examples: [null],
    }),
    merged_into: Id.nullable().meta({
      description:
        'The patient whose record replaced this one, which is archived: its appointments, subscriptions and tasks belong to that patient. Otherwise null.',
      examples: [null],
    }),
    created_at: UtcInstant,
    updated_at: UtcInstant,
  })
  .meta({ component: 'Patient' });
export type PatientView = z.infer<typeof PatientView>;

const nested = {
  id: Id.optional().meta({ description: 'The id of the one to change; without it, one is added.' }),
  primary: z.boolean().optional().meta({ description: 'Makes this one primary, instead of any other.' }),
  active: z.boolean().optional().meta({ description: 'The default is true.' }),
  _destroy: flag.optional().meta({ description: 'Deletes the one with this `id`.' }),
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
  number: text(40)
    .optional()
    .meta({ description: 'With a country code, or a number of the United States. Required to add one.' }),
  label: text(50).nullish(),
});

/** An earlier date of birth is a mistake; records that have one keep it. */
export const EARLIEST_BIRTH_DATE = '1900-01-01';

/** Fields that both create and update accept. */
const writable = {
  first_name: text(100)
    .nullish()
    .meta({ examples: ['Ada'] }),
  middle_name: text(100).nullish(),
  last_name: text(100)
    .nullish()
    .meta({ examples: ['Example'] }),
  birth_date: LocalDate.nullish().meta({
    description: `YYYY-MM-DD, not before ${EARLIEST_BIRTH_DATE} and not in the future.`,
    examples: ['1990-04-12'],
  }),
  administrative_gender: AdministrativeGender.optional().meta({ examples: ['female'] }),
  gender_identity: GenderIdentity.nullish(),
  races: z
    .array(Race)
    .max(20)
    .optional()
    .meta({
      description: 'OMB values, as objects or, for the second level alone, as texts; replaces the list.',
      examples: [[{ level_2_display: 'Asian' }]],
    }),
  ethnicities: z.array(Levels).max(20).optional().meta({ description: 'OMB values; replaces the list.' }),
  tag_list: z
    .array(text(100))
    .max(100)
    .optional()
    .meta({ description: 'Replaces the list.', examples: [['newsletter']] }),
  metadata: Metadata.optional().meta({
    description: 'Your own JSON, at most 16 KiB; replaces the object.',
    examples: [{ source: 'web' }],
  }),
  external_id: text(255)
    .nullish()
    .meta({ description: 'Your own id, unique in the organisation.', examples: ['crm-1024'] }),
  time_zone: TimeZone.nullish().meta({ examples: ['America/New_York'] }),
  language: Language.nullish().meta({
    description: 'BCP 47 tag of the language that the patient reads: language, script, region.',
    examples: ['es-US'],
  }),
  addresses_attributes: z
    .array(AddressAttributes)
    .max(20)
    .optional()
    .meta({ description: 'Addresses to add, change or delete; the others stay.', examples: [[home]] }),
  phones_attributes: z
    .array(PhoneAttributes)
    .max(20)
    .optional()
    .meta({ description: 'Phones to add, change or delete; the others stay. A primary phone must be active.' }),
};

export const CreatePatientInput = z.strictObject({
  email: Email.nullish().meta({ description: 'Unique in the organisation.', examples: ['ada@example.test'] }),
  phone_number: text(40)
    .nullish()
    .meta({ description: 'Shorthand for one primary phone.', examples: ['+12025550123'] }),
  ...writable,
});
export type CreatePatientInput = z.infer<typeof CreatePatientInput>;

const leadsTo = {
  confirmation_url: AppAddress.nullish().meta({
    description:
      'The page of your app that an invitation by email links to, on one of your allowed origins. The configuration token is in its fragment. Defaults to the page that the clinic has set, or else to our own page.',
    examples: [`${EXAMPLE.website}/invitation`],
  }),
  passwordless_login_url: AppAddress.nullish().meta({
    description:
      'The page of your app that an invitation by text message links to, on one of your allowed origins. Defaults to the page that the clinic has set, or else to no link.',
    examples: [`${EXAMPLE.website}/sign-in`],
  }),
};

/** As for create; the email address, or else the phone number, is how the patient will sign in. */
export const InvitePatientInput = CreatePatientInput.extend(leadsTo);
export type InvitePatientInput = z.infer<typeof InvitePatientInput>;

/** For an existing patient: uses the stored email address, or else the primary phone. */
export const InviteExistingInput = z.strictObject({ id: PatientId, ...leadsTo });
export type InviteExistingInput = z.infer<typeof InviteExistingInput>;

export const UpdatePatientInput = z.strictObject({
  id: PatientId,
  email: Email.nullish().meta({
    description:
      'Only while `can_sign_in` is false, and not for patients themselves: a new address invalidates the invitation to the previous one. A patient who can sign in confirms a new address first.',
    examples: ['ada@example.test'],
  }),
  ...writable,
});
export type UpdatePatientInput = z.infer<typeof UpdatePatientInput>;

export const PatientIdInput = z.strictObject({ id: PatientId });
export const NoInput = z.strictObject({});
