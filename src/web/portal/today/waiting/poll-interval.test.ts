import { expect, test } from 'vitest';
import { pollIntervalMs } from './poll-interval.ts';

test.each([
  [undefined, 20_000],
  [[], 20_000],
  [['a patient'], 10_000],
])('while %j wait, looks again in %i ms', (waiting, ms) => {
  expect(pollIntervalMs(waiting)).toBe(ms);
});
