import { expect, test } from 'vitest';
import { SEED, seededRandom } from '#dev/testing/seed.ts';
import { shuffle } from './book-appointment.ts';

test('each calendar is equally likely to come first, and every calendar is returned', () => {
  const calendars = [11, 12, 13, 14, 15];
  const draws = 20_000;
  const random = seededRandom();
  const below = (bound: number) => Math.floor(random() * bound);
  const first = new Map(calendars.map((id) => [id, 0]));
  for (let round = 0; round < draws; round += 1) {
    const order = shuffle(calendars, below);
    expect([...order].sort()).toEqual(calendars);
    first.set(order[0]!, first.get(order[0]!)! + 1);
  }
  const expected = draws / calendars.length;
  const chiSquare = [...first.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // Four degrees of freedom: a fair draw exceeds this once in 100,000 runs.
  console.info(`draws ${draws}, seed ${SEED}, chi-square ${chiSquare.toFixed(2)}`);
  expect(chiSquare).toBeLessThan(28.5);
});
