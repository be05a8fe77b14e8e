import { getDiffieHellman } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { VECTORS } from '../../dev/testing/rfc5054-vectors.ts';
import { toInteger } from '../protocol/hex.ts';
import { multiplier, privateKey, scrambler } from '../protocol/srp-hashes.ts';
import { SRP_GROUP } from '../protocol/srp-suite.ts';
import { premasterSecret, SrpError, startExchange } from './exchange.ts';
import { modPow, SUITE } from './suite.ts';

describe('SRP-6a', () => {
  test('reproduces all values of RFC 5054 appendix B', () => {
    const { suite, identity, password, salt, a, B } = VECTORS;
    const x = privateKey(suite, identity, password, salt);
    const secret = startExchange(suite, a);
    expect(multiplier(suite)).toBe(VECTORS.k);
    expect(x).toBe(VECTORS.x);
    expect(modPow(suite.g, x, suite.N)).toBe(VECTORS.v);
    expect(secret.A).toBe(VECTORS.A);
    expect((VECTORS.k * VECTORS.v + modPow(suite.g, VECTORS.b, suite.N)) % suite.N).toBe(B);
    expect(scrambler(suite, secret.A, B)).toBe(VECTORS.u);
    expect(premasterSecret(suite, secret, B, x)).toBe(VECTORS.S);
  });

  test('uses the prime that OpenSSL has for RFC 3526 group 15, with the generator of RFC 5054', () => {
    expect(SRP_GROUP.N).toBe(toInteger(getDiffieHellman('modp15').getPrime()));
    expect([SRP_GROUP.g, SRP_GROUP.byteLength]).toEqual([5n, 384]);
  });

  test('rejects a server value that is zero modulo N, or out of range', () => {
    const secret = startExchange(SUITE);
    for (const B of [0n, SUITE.N, SUITE.N * 2n, SUITE.N + 1n, -1n])
      expect(() => premasterSecret(SUITE, secret, B, 7n)).toThrow(SrpError);
  });

  test('throws when the scrambler is zero', () => {
    const zero = { ...SUITE, hash: () => new Uint8Array(32) };
    expect(() => premasterSecret(zero, startExchange(zero), 5n, 7n)).toThrow('u is zero');
  });

  test('modPow is correct at the edges', () => {
    const naive = (base: bigint, exponent: bigint, modulus: bigint) => base ** exponent % modulus;
    for (const [base, exponent] of [
      [2n, 0n],
      [2n, 1n],
      [3n, 15n],
      [3n, 16n],
      [7n, 255n],
      [0n, 3n],
    ] as const)
      expect(modPow(base, exponent, 1_000_003n)).toBe(naive(base, exponent, 1_000_003n));
  });
});
