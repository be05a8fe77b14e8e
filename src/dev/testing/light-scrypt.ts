import { scryptSync } from 'node:crypto';

/** Stands in for the SDK's scrypt, so that what it stretches is what the service of the same test stretches. */
export async function scryptAsync(
  password: string,
  salt: Uint8Array,
  { N, r, p, dkLen }: { N: number; r: number; p: number; dkLen: number },
): Promise<Uint8Array> {
  return scryptSync(password, salt, dkLen, { N, r, p, maxmem: 256 * N * r });
}
