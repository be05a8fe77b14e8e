import { createHash } from 'node:crypto';

/** Bytes that look random and that the same seed gives again, for tests that must be repeatable. */
export function seededBytes(seed: string): (length: number) => Buffer {
  let calls = 0;
  return (length) => createHash('shake256', { outputLength: length }).update(`${seed}/${calls++}`).digest();
}
