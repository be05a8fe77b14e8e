import { scryptSync } from 'node:crypto';

/** Replaces the SDK's scrypt with Node's, so that it uses the same cheap parameters as the service in the same test. */
export async function scryptAsync(
  password: string,
  salt: Uint8Array,
  { N, r, p, dkLen }: { N: number; r: number; p: number; dkLen: number },
): Promise<Uint8Array> {
  return scryptSync(password, salt, dkLen, { N, r, p, maxmem: 256 * N * r });
}
