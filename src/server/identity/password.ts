import { hash, verify } from '@node-rs/argon2';
import { newToken } from '../core/ids.ts';

export const PASSWORD_LENGTH = { min: 12, max: 256 };

/** argon2id with the library's defaults: 19 MiB, two passes, one lane, as OWASP recommends. */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFKC'));

let decoy: Promise<string> | null = null;

/** Checks a password. Without a hash (nobody of that name) it does the same work and says no. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  decoy ??= hash(newToken());
  const right = await verify(passwordHash ?? (await decoy), password.normalize('NFKC'));
  return right && passwordHash !== null;
}
