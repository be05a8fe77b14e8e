import { expect, test } from 'vitest';
import { lookAgainIn } from './look-again.ts';

test.each([
  [undefined, 20_000],
  [[], 20_000],
  [['somebody'], 10_000],
])('while %j wait it is looked again in %i ms', (waiting, ms) => {
  expect(lookAgainIn(waiting)).toBe(ms);
});
