import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { modPow } from '#dev/testing/password-client.ts';
import { VECTORS } from '#dev/testing/rfc5054-vectors.ts';
import { createPowers, createThreads, POWERS_PROGRAM, type Powers } from './powers.ts';
import { createExchange, createSrp, SUITE } from './suite.ts';

const SRP = createSrp();
afterAll(SRP.close);

describe('event loop', () => {
  /** As cooperative as possible: yields to other work between any two powers. */
  const ON_THE_LOOP: Powers = {
    async power(exponent, base = SUITE.g) {
      await nextTurn();
      return modPow(base, exponent);
    },
    async powerOfProduct(base, exponent, factor, secondExponent) {
      return ON_THE_LOOP.power(secondExponent, (await ON_THE_LOOP.power(exponent, base)) * factor);
    },
  };

  /** Returns the share of time in which the event loop was busy during `count` concurrent exchanges. */
  async function busyShare(powers: Powers, count: number): Promise<number> {
    const { offer, settle } = createExchange(SUITE, powers);
    const [v, A] = await Promise.all([SRP.power(77n), SRP.power(99n)]);
    const before = performance.eventLoopUtilization();
    await Promise.all(
      Array.from({ length: count }, async () => {
        const { b, B } = await offer(v);
        expect(await settle({ identity: 'ab', salt: randomBytes(32), v, b, A, B })).not.toBeNull();
      }),
    );
    return performance.eventLoopUtilization(before).utilization;
  }

  test('stays free during 50 exchanges, unlike with powers computed on the loop', {
    timeout: 60_000,
  }, async () => {
    const busy = await busyShare(SRP, 50);
    if (!process.env.PROVE) return;
    const planted = await busyShare(ON_THE_LOOP, 10);
    expect(busy, `${busy} busy, and ${planted} with powers on the loop`).toBeLessThan(planted * 0.75);
  });
});

describe('when a worker thread exits', () => {
  // A small group, which is created quickly.
  const { suite } = VECTORS;
  const withOneThread = (program: string) => {
    const powers = createPowers(suite, createThreads(suite, { most: 1, program }));
    onTestFinished(powers.close);
    return powers;
  };
  /**
   * A program that exits before it processes a message that meets the condition; `seen` counts the thread's messages.
   */
  const endingWhen = (condition: string) => `
    let seen = 0;
    require('node:worker_threads').parentPort.on('message', ({ exponent }) => {
      seen += 1;
      if (${condition}) process.exit(1);
    });
    ${POWERS_PROGRAM}`;

  test('its unfinished work goes to another thread', async () => {
    const { power } = withOneThread(endingWhen('seen === 3'));
    expect(await Promise.all([1n, 2n, 3n, 4n].map((exponent) => power(exponent)))).toEqual([2n, 4n, 8n, 16n]);
  });

  test('work that ended two threads is rejected, and later work is done', async () => {
    const { power } = withOneThread(endingWhen('exponent[0] === 7'));
    const [before, deadly, concurrent] = await Promise.allSettled([2n, 7n, 3n].map((exponent) => power(exponent)));
    expect(before).toMatchObject({ value: 4n });
    expect(deadly).toMatchObject({ reason: { message: 'two threads ended while they computed this' } });
    expect(concurrent).toMatchObject({ status: 'rejected' });
    expect(await power(3n)).toBe(8n);
  });

  test('before it started, the work is rejected with the cause', async () => {
    const { power } = withOneThread('throw new Error("no more memory")');
    await expect(power(2n)).rejects.toMatchObject({ cause: { message: 'no more memory' } });
  });

  test('later work is done; an error of OpenSSL does not end the thread', async () => {
    const { power } = withOneThread(endingWhen('seen === 3'));
    await expect(power(2n, suite.N - 1n)).rejects.toThrow(/large/i);
    expect(await power(2n)).toBe(4n);
  });

  test('because of close, unfinished and later work is rejected', async () => {
    // This power is never finished.
    const { power, close } = withOneThread(`
      require('node:worker_threads').parentPort.on('message', ({ exponent }) => {
        while (exponent[0] === 3);
      });
      ${POWERS_PROGRAM}`);
    expect(await power(2n)).toBe(4n);
    const unfinished = power(3n);
    await close();
    await expect(unfinished).rejects.toThrow(/ended/);
    await expect(power(4n)).rejects.toThrow(/ended/);
  });
});
