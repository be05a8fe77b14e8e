import { createHash } from 'node:crypto';

/** Returns a generator of pseudorandom bytes; equal seeds give equal bytes. */
export function seededBytes(seed: string): (length: number) => Buffer {
  let calls = 0;
  return (length) => createHash('shake256', { outputLength: length }).update(`${seed}/${calls++}`).digest();
}
