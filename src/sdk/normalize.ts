import { InvalidCodeError, InvalidInputError, InvalidPhoneNumberError } from './errors.ts';

/** Area code and exchange of the North American Numbering Plan; punctuation is removed before. */
const NATIONAL = /^(?:\+?1)?([2-9]\d{2})([2-9]\d{2})(\d{4})$/;
const PUNCTUATION = /[\s().\u00b7\u2010-\u2015\u2212/-]/g;
/**
 * Premium numbers, and the plan's countries except the United States and Canada: text messages there are a known way to
 * steal money. The service checks the rest.
 */
const UNSUPPORTED_AREA_CODES = new Set(
  '900 242 246 264 268 284 345 441 473 649 658 664 721 758 767 784 809 829 849 868 869 876'.split(' '),
);

/**
 * Normalises a US number in any usual spelling to E.164.
 * @throws InvalidPhoneNumberError
 */
export function normalizePhoneNumber(text: string): string {
  const compact = String(text).normalize('NFKC').trim().replace(/^tel:/i, '').replace(PUNCTUATION, '');
  const [, area, exchange, line] = NATIONAL.exec(compact) ?? [];
  if (!area)
    throw new InvalidPhoneNumberError(
      'invalid_phone_number',
      'This is not a US phone number. Write it like (202) 555-0123.',
    );
  if (UNSUPPORTED_AREA_CODES.has(area))
    throw new InvalidPhoneNumberError('phone_number_not_supported', 'Only ordinary US phone numbers can be used.');
  return `+1${area}${exchange}${line}`;
}

/**
 * Normalises an email address. Checks the syntax only; the emailed code proves that it exists.
 * @throws InvalidInputError
 */
export function normalizeEmail(email: string): string {
  const trimmed = String(email).trim().toLowerCase();
  if (trimmed.length > 254 || !/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(trimmed))
    throw new InvalidInputError('invalid_email', 'This is not an email address.');
  return trimmed;
}

/**
 * Removes spaces and hyphens from a pasted code.
 * @throws InvalidCodeError unless six or ten digits are left
 */
export function normalizeCode(code: string): string {
  const digits = String(code).normalize('NFKC').replace(/[\s-]/g, '');
  if (!/^(?:\d{6}|\d{10})$/.test(digits))
    throw new InvalidCodeError('invalid_code', 'A code has six or ten digits. Enter all digits of the message.');
  return digits;
}
