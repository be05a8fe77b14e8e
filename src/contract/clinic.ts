import { z } from 'zod';
import { TimeZone, text } from './conventions.ts';
import { LOGO_BYTES, LOGO_TOO_LARGE } from './limits.ts';

/** Base64 encodes three bytes as four characters. */
const LOGO_CHARACTERS = Math.ceil(LOGO_BYTES / 3) * 4;

const Phone = z
  .string()
  .trim()
  .regex(/^\+[1-9]\d{6,14}$/, 'Enter a whole phone number, such as (202) 555-0123 or +44 20 7946 0000.');
const Email = z.email('Enter an email address like name@example.org.').max(254).toLowerCase();

/** A page of the clinic's own website. Rejects credentials in the URL, which would be shown publicly. */
const WebPage = z
  .string()
  .trim()
  .max(300, 'Use at most 300 characters.')
  .transform((address, { addIssue }) => {
    const url = /^https:\/\/[^/]/i.test(address) && URL.canParse(address) ? new URL(address) : null;
    if (url?.hostname.includes('.') && !url.username && !url.password) return url.href;
    addIssue({ code: 'custom', message: 'Enter the whole address, beginning with https://.' });
    return z.NEVER;
  })
  .meta({ override: { type: 'string', format: 'uri', maxLength: 300 } });

/** The clinic's profile except its logo; null means not set (for `colour`: Carelane's default). */
export const UpdateClinicInput = z.strictObject({
  name: text(80),
  time_zone: TimeZone,
  colour: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'Enter a color as # and six digits or letters from a to f, such as #0b6b66.')
    .toLowerCase()
    .nullable(),
  support_phone: Phone.nullable(),
  support_email: Email.nullable(),
  terms_url: WebPage.nullable(),
  privacy_url: WebPage.nullable(),
});
export type UpdateClinicInput = z.infer<typeof UpdateClinicInput>;

/** A PNG file as base64. */
export const SetLogoInput = z.strictObject({
  png: z.string().min(1, 'Choose a picture.').max(LOGO_CHARACTERS, LOGO_TOO_LARGE),
});
export type SetLogoInput = z.infer<typeof SetLogoInput>;

export type LogoView = {
  /** A path on this server; it changes with the picture. */
  path: string;
  width: number;
  height: number;
};

/** The data of the portal's Clinic page. */
export type ClinicView = { [Field in keyof UpdateClinicInput]: UpdateClinicInput[Field] } & { logo: LogoView | null };

/** The clinic's branding on pages that are opened from a link; all of it is public. */
export type ClinicLookView = Omit<ClinicView, 'time_zone'>;

export const OpenClinicInput = z.strictObject({ token: z.string().min(1).max(200) });
