import { hash, verify } from '@node-rs/argon2';
import { passwordFault } from '#sdk/protocol/password-rules.ts';
import type { Services } from '../../core/context.ts';
import { CarelaneError, type Fault, invalid } from '../../core/errors.ts';
import { newToken } from '../../core/ids.ts';

/** In UTF-16 units, before anything is done with it: the rules allow 256 characters, which can be spelt longer. */
export const LONGEST_PASSWORD = 1024;

/** argon2id with the library's defaults: 19 MiB, two passes, one lane, as OWASP recommends. */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFKC'));

/** The hash of a password that nobody has, made at its first use. */
export function createDecoy(): () => Promise<string> {
  let decoy: Promise<string> | null = null;
  return () => {
    decoy ??= hash(newToken());
    return decoy;
  };
}

/** Checks a password. Without a hash (nobody of that name) it does the same work and says no. */
export async function verifyPassword(
  services: Pick<Services, 'identity'>,
  passwordHash: string | null,
  password: string,
): Promise<boolean> {
  const right = await verify(passwordHash ?? (await services.identity.decoyPassword()), password.normalize('NFKC'));
  return right && passwordHash !== null;
}

/** The rules that patients' passwords are under too. Error: invalid_parameter, at the field. */
export function checkNewPassword(password: string, email: string, field = 'password'): void {
  const faults = newPasswordFaults(password, email, field);
  if (faults.length > 0) throw new CarelaneError(faults);
}

/** What of the rules a new password breaks, to be said together with what else is wrong. */
export function newPasswordFaults(password: string, email: string, field: string): Fault[] {
  const fault = passwordFault(password, email);
  return fault ? invalid(field, fault.message).faults : [];
}
