import { randomBytes } from 'node:crypto';
import { KDF } from '#sdk/protocol/kdf.ts';
import type { Registration } from './registration.ts';
import { verifierOf } from './verifier-of.ts';

const IDENTITY_BYTES = 16;
const SALT_BYTES = 32;

/** What the server keeps of a password that it chose itself; any other password is registered by its client. */
export async function registerPassword(password: string): Promise<Registration> {
  const identity = randomBytes(IDENTITY_BYTES).toString('hex');
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return { identity, salt, verifier: await verifierOf(password, { identity, salt, kdf: KDF }), kdf: KDF };
}
