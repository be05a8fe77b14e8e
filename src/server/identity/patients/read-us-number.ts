import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { refuse } from '../../core/errors.ts';

/** Fixed lines are among them: area codes do not tell a mobile from a landline in the United States. */
const TEXTED = new Set(['MOBILE', 'FIXED_LINE', 'FIXED_LINE_OR_MOBILE']);
/**
 * E.164 of an ordinary number of the United States in any usual spelling. Others of +1, premium and toll-free ones are
 * `phone_number_not_supported`: texts there cost a clinic more than they tell a patient.
 */
export function readUsNumber(text: string, pointer = '/phone_number'): string {
  const parsed = parsePhoneNumberFromString(text.trim().replace(/^tel:/i, ''), {
    defaultCountry: 'US',
    extract: false,
  });
  if (!parsed?.isPossible() || parsed.ext)
    throw refuse('invalid_parameter', 'This is not a phone number.', { source: { pointer } });
  const isOrdinary = parsed.country === 'US' && parsed.isValid() && TEXTED.has(parsed.getType() ?? '');
  if (!isOrdinary)
    throw refuse('phone_number_not_supported', 'Only ordinary phone numbers of the United States can be used.', {
      source: { pointer },
    });
  return parsed.number;
}
