import { scryptAsync } from '@noble/hashes/scrypt.js';
import { toHex } from '../protocol/hex.ts';
import type { Kdf } from '../protocol/kdf.ts';

/** `K0`: lowercase hex of scrypt. It is meant to take long; the page keeps answering meanwhile. */
export async function stretchPassword(password: string, salt: Uint8Array, kdf: Kdf): Promise<string> {
  const { N, r, p, length } = kdf;
  return toHex(await scryptAsync(password.normalize('NFKC'), salt, { N, r, p, dkLen: length }));
}
