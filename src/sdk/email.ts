import { InvalidInputError } from './errors.ts';

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
