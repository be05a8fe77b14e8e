import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { z } from 'zod';
import { issueMessage } from '#contract/issue-message.ts';
import {
  AddressAttributes,
  AdministrativeGender,
  CreatePatientInput,
  EARLIEST_BIRTH_DATE,
  GenderIdentity,
} from '#contract/patients.ts';
import { tagsOf, type PatientFormValues as Values } from './patient-form-values.ts';

const { first_name, middle_name, last_name, email, birth_date, external_id, tag_list, language } =
  CreatePatientInput.shape;
const { line1, line2, city, state, zip, country } = AddressAttributes.shape;

/** Validates given values by the contract as well, so that all errors show at once and not after a server response. */
const optionalField = (field: z.ZodType, parse = (text: string): unknown => text) =>
  z.string().superRefine((text, { addIssue }) => {
    if (!text.trim()) return;
    for (const issue of field.safeParse(parse(text)).error?.issues ?? [])
      addIssue({ ...issue, path: [], message: issueMessage(issue) });
  });
const requiredField = (field: z.ZodType, message: string) => optionalField(field).trim().min(1, message);

/** The current date in the zone that is furthest ahead (UTC+14): a later date is in the future for every clinic. */
const lastToday = () => new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);

/** The phone rules that load in a browser are less strict than the server's, which may still reject a number. */
const isPhone = (text: string): boolean => {
  const phone = parsePhoneNumberFromString(text, { defaultCountry: 'US', extract: false });
  return Boolean(phone?.isValid() && !phone.ext);
};

/** `storedBirthDate` stays valid, even when it is earlier than a new one may be. */
export const patientFormValues = (storedBirthDate: string | null = null): z.ZodType<Values, Values> =>
  z.object({
    first_name: requiredField(first_name, 'Enter a first name.'),
    middle_name: optionalField(middle_name),
    last_name: requiredField(last_name, 'Enter a last name.'),
    email: optionalField(email),
    birth_date: optionalField(birth_date)
      .refine(
        (date) => !date || date >= EARLIEST_BIRTH_DATE || date === storedBirthDate,
        'The date of birth lies before 1900. Check the year.',
      )
      .refine((date) => date <= lastToday(), 'A date of birth cannot lie in the future.'),
    administrative_gender: AdministrativeGender,
    gender_identity: z.union([z.literal(''), GenderIdentity]),
    external_id: optionalField(external_id),
    language: optionalField(language),
    tags: optionalField(tag_list, tagsOf),
    phones_attributes: z.array(
      z.object({
        id: z.string().optional(),
        number: z
          .string()
          .refine(
            (text) => !text.trim() || isPhone(text),
            'Enter a whole phone number, such as (202) 555-0123 or +44 20 7946 0000.',
          ),
      }),
    ),
    addresses_attributes: z.array(
      z.object({
        id: z.string().optional(),
        line1: optionalField(line1),
        line2: optionalField(line2),
        city: optionalField(city),
        state: optionalField(state),
        zip: optionalField(zip),
        country: optionalField(country),
      }),
    ),
  });
