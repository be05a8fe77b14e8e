import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Returns a phone number in E.164, or null. Without a country code it is read as a United States number. */
export function parsePhoneNumber(text: string): string | null {
  const parsed = parsePhoneNumberFromString(text, { defaultCountry: 'US', extract: false });
  return parsed?.isValid() && !parsed.ext ? parsed.number : null;
}
