import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { apiError } from '../../core/errors.ts';

/** Fixed lines are included: in the United States area codes do not distinguish mobile from fixed lines. */
const TEXTED = new Set(['MOBILE', 'FIXED_LINE', 'FIXED_LINE_OR_MOBILE']);
/**
 * Parses an ordinary number of the United States, in any usual spelling, to E.164. Other +1, premium and toll-free
 * numbers are rejected: text messages there cost a clinic more than they are worth.
 * @throws `invalid_parameter`, `phone_number_not_supported`
 */
export function parseUsNumber(text: string, pointer = '/phone_number'): string {
  const parsed = parsePhoneNumberFromString(text.trim().replace(/^tel:/i, ''), {
    defaultCountry: 'US',
    extract: false,
  });
  if (!parsed?.isPossible() || parsed.ext)
    throw apiError('invalid_parameter', 'This is not a phone number.', { source: { pointer } });
  const isOrdinary = parsed.country === 'US' && parsed.isValid() && TEXTED.has(parsed.getType() ?? '');
  if (!isOrdinary)
    throw apiError('phone_number_not_supported', 'Only ordinary US phone numbers can be used.', {
      source: { pointer },
    });
  return parsed.number;
}
