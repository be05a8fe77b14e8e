import { InvalidCodeError } from './errors.ts';

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
