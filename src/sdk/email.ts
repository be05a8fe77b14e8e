import { InvalidInputError } from './errors.ts';

/** Spelling only; the code that is mailed shows whether it is somebody's. @throws InvalidInputError */
export function normalizeEmail(email: string): string {
  const trimmed = String(email).trim().toLowerCase();
  if (trimmed.length > 254 || !/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(trimmed))
    throw new InvalidInputError('invalid_email', 'This is not an email address.');
  return trimmed;
}
