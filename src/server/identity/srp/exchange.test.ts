import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { VECTORS } from '#dev/testing/rfc5054-vectors.ts';
import { clientProof, privateKey, serverProof, sessionKey } from '#sdk/protocol/srp-hashes.ts';
import { createPowers } from './powers.ts';
import { createExchange, createSrp, SUITE } from './suite.ts';

const { N, g } = SUITE;
const SRP = createSrp();
const { offer, settle } = SRP;
afterAll(SRP.close);

describe('server side of SRP', () => {
  test('computes every value of RFC 5054 appendix B', async () => {
    const { suite, identity, password, salt, b, A, u, S } = VECTORS;
    const powers = createPowers(suite);
    onTestFinished(powers.close);
    const exchange = createExchange(suite, powers);
    const v = await powers.power(privateKey(suite, identity, password, salt));
    const { B } = await exchange.offer(v, b);
    expect([v, B]).toEqual([VECTORS.v, VECTORS.B]);
    expect(await powers.powerOfProduct(v, u, A, b)).toBe(S);
    const key = sessionKey(suite, S);
    const M1 = clientProof(suite, { identity, salt, A, B, sessionKey: key });
    const M2 = serverProof(suite, A, M1, key);
    expect(await exchange.settle({ identity, salt, v, b, A, B })).toEqual({ M1, M2 });
  });

  test.each([
    ['0', 0n],
    ['N', N],
    ['kN', N * 7n],
  ])('returns null when A is %s', async (_, A) => {
    const v = 12345n;
    const { b, B } = await offer(v);
    expect(await settle({ identity: 'ab', salt: randomBytes(32), v, b, A, B })).toBeNull();
  });

  test('returns null when u is zero', async () => {
    const zero = { ...SUITE, hash: () => new Uint8Array(32) };
    const { b, B } = await offer(12345n);
    const halves = { identity: 'ab', salt: randomBytes(32), v: 12345n, b, A: 6789n, B };
    expect(await createExchange(zero, SRP).settle(halves)).toBeNull();
    expect(await createExchange(SUITE, SRP).settle(halves)).not.toBeNull();
  });

  test.each([
    ['1', 1n],
    ['N − 1', N - 1n],
  ])('returns null when A · v^u is %s, whose powers are public', async (_, product) => {
    const base = 3n;
    const inverse = await SRP.power(N - 2n, base);
    expect(await SRP.powerOfProduct(base, 1n, (inverse * product) % N, 5n)).toBeNull();
  });

  test('never offers B = 0, nor a B with b = 0', async () => {
    // A verifier that makes k·v + g^b a multiple of N.
    const zero = { ...SUITE, hash: () => new Uint8Array([1]) };
    const { power } = SRP;
    const { b, B } = await createExchange(zero, SRP).offer(N - (await power(9n)), 9n);
    expect(B).not.toBe(0n);
    expect(b).not.toBe(9n);
    expect((await offer(12345n, 0n)).b).not.toBe(0n);
  });

  test('creates a fresh B for each exchange', async () => {
    const offers = await Promise.all(Array.from({ length: 5 }, () => offer(12345n)));
    expect(new Set(offers.map(({ B }) => B)).size).toBe(5);
    expect(offers.every(({ b }) => b < 1n << 256n)).toBe(true);
  });

  test('computes the same powers as plain arithmetic, also at the edges', async () => {
    const { power, powerOfProduct } = SRP;
    expect(await power(1n)).toBe(g);
    expect(await power(3n)).toBe(125n);
    expect(await power(2n, 10n ** 400n)).toBe(10n ** 800n);
    expect(await powerOfProduct(2n, 10n, 3n, 2n)).toBe((1024n * 3n) ** 2n);
    for (const base of [0n, 1n, N - 1n]) await expect(power(2n, base)).rejects.toThrow();
  });
});
