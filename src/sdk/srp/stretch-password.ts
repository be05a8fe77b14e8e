import { scryptAsync } from '@noble/hashes/scrypt.js';
import { toHex } from '../protocol/hex.ts';
import type { Kdf } from '../protocol/kdf.ts';

/** Returns `K0`: scrypt as lowercase hex. It is slow by design; the page stays responsive. */
export async function stretchPassword(password: string, salt: Uint8Array, kdf: Kdf): Promise<string> {
  const { N, r, p, length } = kdf;
  return toHex(await scryptAsync(password.normalize('NFKC'), salt, { N, r, p, dkLen: length }));
}
