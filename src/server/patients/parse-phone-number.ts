import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** E.164 of any usual spelling, or null. Without a country code it is a number of the United States. */
export function parsePhoneNumber(text: string): string | null {
  const parsed = parsePhoneNumberFromString(text, { defaultCountry: 'US', extract: false });
  return parsed?.isValid() && !parsed.ext ? parsed.number : null;
}
