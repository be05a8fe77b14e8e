import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { toBytes, toHex } from '#sdk/protocol/hex.ts';
import { privateKey } from '#sdk/protocol/srp-hashes.ts';
import type { Registration } from './registration.ts';
import { POWERS, SUITE } from './suite.ts';

const stretch = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** What a registration of this password would hold; slow by design, in a thread of the pool. */
export async function verifierOf(
  password: string,
  { identity, salt, kdf }: Omit<Registration, 'verifier'>,
): Promise<string> {
  const { N, r, p, length } = kdf;
  const salted = Buffer.from(salt, 'hex');
  const secret = await stretch(password.normalize('NFKC'), salted, length, { N, r, p, maxmem: 256 * N * r });
  const v = await POWERS.power(privateKey(SUITE, identity, secret.toString('hex'), salted));
  return toHex(toBytes(v, SUITE.byteLength));
}
