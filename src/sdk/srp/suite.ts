import { scryptAsync } from '@noble/hashes/scrypt.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { ConfigurationError } from '../errors.ts';
import { toHex } from '../protocol/hex.ts';
import type { Kdf } from '../protocol/kdf.ts';
import { SRP_GROUP, type SrpSuite } from '../protocol/srp-suite.ts';

export const SUITE: SrpSuite = { ...SRP_GROUP, hash: sha256 };

/**
 * Returns bytes from the platform's generator; throws without one (React Native needs a polyfill), because nothing
 * would be secure.
 */
export function randomBytes(length: number): Uint8Array {
  if (typeof globalThis.crypto?.getRandomValues !== 'function')
    throw new ConfigurationError(
      'no_random_source',
      'crypto.getRandomValues is missing. In React Native, load react-native-get-random-values first.',
    );
  return globalThis.crypto.getRandomValues(new Uint8Array(length));
}

/** Returns `K0`: scrypt as lowercase hex. It is slow by design; the page stays responsive. */
export async function stretchPassword(password: string, salt: Uint8Array, kdf: Kdf): Promise<string> {
  const { N, r, p, length } = kdf;
  return toHex(await scryptAsync(password.normalize('NFKC'), salt, { N, r, p, dkLen: length }));
}

const WINDOW_BITS = 4;

/**
 * `base ^ exponent mod modulus` with fixed windows: the number of squarings and products only depends on the exponent's
 * length.
 */
export function modPow(base: bigint, exponent: bigint, modulus: bigint): bigint {
  const powers = [1n];
  for (let digit = 1; digit < 2 ** WINDOW_BITS; digit++) powers.push((powers[digit - 1]! * base) % modulus);
  let result = 1n;
  // One hex digit is one window.
  for (const digit of exponent.toString(16)) {
    for (let bit = 0; bit < WINDOW_BITS; bit++) result = (result * result) % modulus;
    result = (result * powers[Number.parseInt(digit, 16)]!) % modulus;
  }
  return result;
}
