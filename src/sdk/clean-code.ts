import { InvalidCodeError } from './errors.ts';

/** People paste codes with spaces in them. @throws InvalidCodeError unless six digits are left */
export function cleanCode(code: string): string {
  const digits = String(code).normalize('NFKC').replace(/[\s-]/g, '');
  if (!/^\d{6}$/.test(digits)) throw new InvalidCodeError('invalid_code', 'The code has six digits.');
  return digits;
}
