import { availableParallelism } from 'node:os';
import { toBytes, toInteger } from '#sdk/protocol/hex.ts';
import type { SrpGroup } from '#sdk/protocol/srp-suite.ts';
import { createThreads } from './threads.ts';

/** Leaves one core to the main thread. */
export const POWER_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

export type Powers = {
  /** `base ^ exponent mod N`; `base` defaults to g. Rejects a base of 0, 1 or N − 1. */
  power(exponent: bigint, base?: bigint): Promise<bigint>;
  /**
   * `(base ^ exponent · factor) ^ again mod N`, in one round trip to the thread. Null when the last base is 0, 1 or N −
   * 1, whose powers are public.
   */
  powerOfProduct(base: bigint, exponent: bigint, factor: bigint, again: bigint): Promise<bigint | null>;
};

/** Creates the powers of one group, computed by OpenSSL in worker threads, which `close` ends. */
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
