import { toBytes, toInteger } from '#sdk/protocol/hex.ts';
import { SRP_GROUP } from '#sdk/protocol/srp-suite.ts';
import { inThread } from './threads.ts';

const padded = (number: bigint) => toBytes(number, SRP_GROUP.byteLength);

/** `base ^ exponent mod N`, with g for a base left out, by OpenSSL in a thread. Rejects a base of 0, 1 or N − 1. */
export async function power(exponent: bigint, base?: bigint): Promise<bigint> {
  const value = await inThread({ exponent: toBytes(exponent), ...(base !== undefined && { base: padded(base) }) });
  return toInteger(value!);
}

/**
 * `(base ^ exponent · factor) ^ again mod N`, on one way to the thread and back. Null when what is raised last is 0, 1
 * or N − 1, whose powers anybody can tell.
 */
export async function powerOfProduct(
  base: bigint,
  exponent: bigint,
  factor: bigint,
  again: bigint,
): Promise<bigint | null> {
  const value = await inThread({
    base: padded(base),
    exponent: toBytes(exponent),
    factor: toBytes(factor),
    again: toBytes(again),
  });
  return value && toInteger(value);
}
