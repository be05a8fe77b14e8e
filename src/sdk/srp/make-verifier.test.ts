import { createHash, scryptSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fromHex } from '../protocol/hex.ts';
import { isAcceptableKdf, KDF } from '../protocol/kdf.ts';
import { SRP_GROUP } from '../protocol/srp-suite.ts';
import { makeVerifier } from './make-verifier.ts';
import { modPow } from './suite.ts';

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

describe('makeVerifier()', () => {
  test('computes the verifier as the protocol page describes, checked with OpenSSL', async () => {
    const { identity, salt, verifier, kdf } = await makeVerifier('ｃorrect horse bättery');
    expect(kdf).toEqual({ name: 'scrypt', N: 32768, r: 8, p: 1, length: 32 });
    expect([identity.length, salt.length, verifier.length]).toEqual([32, 64, 768]);
    const saltBytes = fromHex(salt, 32);
    const K0 = scryptSync('correct horse bättery'.normalize('NFKC'), saltBytes, 32, {
      N: 2 ** 15,
      r: 8,
      p: 1,
      maxmem: 2 ** 26,
    }).toString('hex');
    const x = BigInt(`0x${sha256(saltBytes, sha256(`${identity}:${K0}`)).toString('hex')}`);
    expect(BigInt(`0x${verifier}`)).toBe(modPow(5n, x, SRP_GROUP.N));
  });

  test('creates a new salt each time, but reuses a given identity', async () => {
    const [first, second] = [await makeVerifier('correct horse'), await makeVerifier('correct horse', 'ab'.repeat(16))];
    expect(second.identity).toBe('ab'.repeat(16));
    expect(
      new Set([first.identity, second.identity, first.salt, second.salt, first.verifier, second.verifier]).size,
    ).toBe(6);
  });

  test('isAcceptableKdf() rejects weaker parameters, and more memory than a phone has', () => {
    expect(isAcceptableKdf({ ...KDF, N: 2 ** 16, p: 2 })).toBe(true);
    for (const change of [{ N: 2 ** 14 }, { r: 4 }, { p: 0 }, { N: 2 ** 24 }, { length: 16 }, { p: 1.5 }, { p: 999 }])
      expect(isAcceptableKdf({ ...KDF, ...change }), JSON.stringify(change)).toBe(false);
  });
});
