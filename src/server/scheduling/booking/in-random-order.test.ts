import { expect, test } from 'vitest';
import { inRandomOrder } from './book-appointment.ts';

/** Mulberry32: the same draws for the same seed. */
function seeded(seed: number) {
  let state = seed >>> 0;
  return (bound: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

test('each calendar is equally likely to be tried first, and each in the end', () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
  const calendars = [11, 12, 13, 14, 15];
  const draws = 20_000;
  const below = seeded(seed);
  const first = new Map(calendars.map((id) => [id, 0]));
  for (let round = 0; round < draws; round += 1) {
    const order = inRandomOrder(calendars, below);
    expect([...order].sort()).toEqual(calendars);
    first.set(order[0]!, first.get(order[0]!)! + 1);
  }
  const expected = draws / calendars.length;
  const chiSquare = [...first.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // Four degrees of freedom: a fair draw exceeds this once in 100 000 runs.
  console.info(`draws ${draws}, seed ${seed}, chi-square ${chiSquare.toFixed(2)}`);
  expect(chiSquare).toBeLessThan(28.5);
});
