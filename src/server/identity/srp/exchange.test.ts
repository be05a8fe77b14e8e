import { randomBytes } from 'node:crypto';
import { SRP, SrpClient } from 'fast-srp-hap';
import { describe, expect, test } from 'vitest';
import { toInteger } from '#sdk/protocol/hex.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import { offer, settle } from './exchange.ts';
import { power } from './power.ts';

/** Few in the daily run, since the other side is slow; 5,000 when proving. */
const EXCHANGES = Number(process.env.SRP_EXCHANGES ?? 6);
const { N } = SRP_GROUP;

describe('the server half of SRP', () => {
  test(`agrees with the client of another implementation in ${EXCHANGES} random exchanges, and not on a wrong secret`, {
    timeout: 5_000 * EXCHANGES,
  }, async () => {
    const parameters = SRP.params[3072];
    for (let round = 0; round < EXCHANGES; round++) {
      const [identity, salt] = [randomBytes(16).toString('hex'), randomBytes(32)];
      const [secret, wrong] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
      const where = `round ${round}, I ${identity}, salt ${salt.toString('hex')}`;
      const v = toInteger(SRP.computeVerifier(parameters, salt, Buffer.from(identity), Buffer.from(secret)));
      const { b, B } = await offer(v);
      for (const [password, isRight] of [
        [secret, true],
        [wrong, false],
      ] as const) {
        const client = new SrpClient(parameters, salt, Buffer.from(identity), Buffer.from(password), randomBytes(32));
        client.setB(Buffer.from(B.toString(16).padStart(768, '0'), 'hex'));
        const proofs = await settle({ identity, salt, v, b, A: toInteger(client.computeA()), B });
        expect(Buffer.from(proofs!.M1).equals(client.computeM1()), where).toBe(isRight);
        if (isRight) expect(() => client.checkM2(Buffer.from(proofs!.M2)), where).not.toThrow();
      }
    }
  });

  test.each([
    ['0', 0n],
    ['N', N],
    ['kN', N * 7n],
  ])('goes no further when A is %s', async (_, A) => {
    const v = 12345n;
    const { b, B } = await offer(v);
    expect(await settle({ identity: 'ab', salt: randomBytes(32), v, b, A, B })).toBeNull();
  });

  test('a fresh secret makes a fresh B each time', async () => {
    const offers = await Promise.all(Array.from({ length: 5 }, () => offer(12345n)));
    expect(new Set(offers.map(({ B }) => B)).size).toBe(5);
    expect(offers.every(({ b }) => b < 1n << 256n)).toBe(true);
  });

  test('powers are those of arithmetic, also at the edges', async () => {
    expect(await power(1n)).toBe(5n);
    expect(await power(3n)).toBe(125n);
    expect(await power(2n, 10n ** 400n)).toBe(10n ** 800n);
    for (const base of [0n, 1n, N - 1n]) await expect(power(2n, base)).rejects.toThrow();
  });
});
