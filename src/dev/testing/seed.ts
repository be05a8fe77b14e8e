/**
 * Seed of every random choice in tests: fixed in `npm test`, taken from the clock in `npm run prove`. `SEED=n` replays
 * a run.
 */
export const SEED = Number(process.env.SEED ?? (process.env.PROVE ? Date.now() % 2 ** 31 : 20_261_121));

/** Mulberry32. @returns a generator of numbers from 0 up to, but not including, 1; equal seeds give equal numbers */
export function seededRandom(seed = SEED): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
