import { hash, verify } from '@node-rs/argon2';
import { passwordError } from '#sdk/protocol/password-rules.ts';
import type { Services } from '../../core/context.ts';
import { CarelaneError, type Fault, invalidParameter } from '../../core/errors.ts';
import { newToken } from '../../core/ids.ts';

/** In UTF-16 units, checked before hashing: the rules allow 256 characters, which can take more units. */
export const LONGEST_PASSWORD = 1024;

/** argon2id with the library's defaults, as OWASP recommends: 19 MiB, two passes, parallelism 1. */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFKC'));

/** Returns the hash of a random password, computed on first use. */
export function createDecoy(): () => Promise<string> {
  let decoy: Promise<string> | null = null;
  return () => {
    decoy ??= hash(newToken());
    return decoy;
  };
}

/** Verifies a password. Without a hash (unknown user) it does the same work and returns false. */
export async function verifyPassword(
  services: Pick<Services, 'identity'>,
  passwordHash: string | null,
  password: string,
): Promise<boolean> {
  const isRight = await verify(passwordHash ?? (await services.identity.decoyPassword()), password.normalize('NFKC'));
  return isRight && passwordHash !== null;
}

/**
 * Validates a new password with the same rules as for patients.
 * @throws `invalid_parameter` at the field
 */
export function checkNewPassword(password: string, email: string, field = 'password'): void {
  const errors = newPasswordErrors(password, email, field);
  if (errors.length > 0) throw new CarelaneError(errors);
}

/** Returns the errors of a new password, to be reported together with others. */
export function newPasswordErrors(password: string, email: string, field: string): Fault[] {
  const error = passwordError(password, email);
  return error ? invalidParameter(field, error.message).faults : [];
}
