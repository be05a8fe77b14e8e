import { availableParallelism } from 'node:os';
import { toBytes, toInteger } from '#sdk/protocol/hex.ts';
import type { SrpGroup } from '#sdk/protocol/srp-suite.ts';
import { createThreads } from './threads.ts';

/** One core stays for the requests of everybody else. */
export const POWER_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

export type Powers = {
  /** `base ^ exponent mod N`, with g for a base left out. Rejects a base of 0, 1 or N − 1. */
  power(exponent: bigint, base?: bigint): Promise<bigint>;
  /**
   * `(base ^ exponent · factor) ^ again mod N`, on one way to the thread and back. Null when what is raised last is 0,
   * 1 or N − 1, whose powers anybody can tell.
   */
  powerOfProduct(base: bigint, exponent: bigint, factor: bigint, again: bigint): Promise<bigint | null>;
};

/** Powers in one group, by OpenSSL in threads of their own, which `close` ends. */
export function createPowers(
  group: SrpGroup,
  { compute, close } = createThreads(group, { most: POWER_THREADS }),
): Powers & { close(): Promise<void> } {
  const padded = (number: bigint) => toBytes(number, group.byteLength);
  return {
    close,
    async power(exponent, base) {
      const value = await compute({ exponent: toBytes(exponent), ...(base !== undefined && { base: padded(base) }) });
      return toInteger(value!);
    },
    async powerOfProduct(base, exponent, factor, again) {
      const value = await compute({
        base: padded(base),
        exponent: toBytes(exponent),
        factor: toBytes(factor),
        again: toBytes(again),
      });
      return value && toInteger(value);
    },
  };
}
