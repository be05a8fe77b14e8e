import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { toBytes, toHex } from '#sdk/protocol/hex.ts';
import { KDF } from '#sdk/protocol/kdf.ts';
import { privateKey } from '#sdk/protocol/srp-hashes.ts';
import type { Registration } from '../inputs.ts';
import { POWERS, SUITE } from './suite.ts';

const IDENTITY_BYTES = 16;
const SALT_BYTES = 32;

const stretch = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** What the server keeps of a password that it chose itself; any other password is registered by its client. */
export async function registerPassword(password: string): Promise<Registration> {
  const { N, r, p, length } = KDF;
  const identity = randomBytes(IDENTITY_BYTES).toString('hex');
  const salt = randomBytes(SALT_BYTES);
  const secret = await stretch(password.normalize('NFKC'), salt, length, { N, r, p, maxmem: 256 * N * r });
  const v = await POWERS.power(privateKey(SUITE, identity, secret.toString('hex'), salt));
  return { identity, salt: salt.toString('hex'), verifier: toHex(toBytes(v, SUITE.byteLength)), kdf: KDF };
}
