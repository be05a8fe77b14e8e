import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

const setUp = (concurrency: number) => {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const turns = createTurns({
    concurrency,
    run: (key) => {
      started.push(key);
      return new Promise((resolve) => ends.push(resolve));
    },
    onError: () => {},
  });
  return { turns, started, ends };
};

test('runs at most the given number of keys at once', async () => {
  const { turns, started, ends } = setUp(2);
  for (const key of ['a', 'b', 'c']) turns.nudge(key);
  expect(started).toEqual(['a', 'b']);
  ends[0]?.();
  await tick();
  expect(started).toEqual(['a', 'b', 'c']);
});

test('runs a key once more after any number of nudges during its turn, and never twice at once', async () => {
  const { turns, started, ends } = setUp(2);
  for (let n = 0; n < 5; n += 1) turns.nudge('a');
  expect(started).toEqual(['a']);
  ends[0]?.();
  await tick();
  expect(started).toEqual(['a', 'a']);
  ends[1]?.();
  await turns.idle();
  expect(started).toHaveLength(2);
});

test('reports an error and continues with the next key', async () => {
  const errors: string[] = [];
  const turns = createTurns({
    concurrency: 1,
    run: async (key) => {
      if (key === 'a') throw new Error('failed');
    },
    onError: (key, error) => errors.push(`${key}: ${error.message}`),
  });
  for (const key of ['a', 'b']) turns.nudge(key);
  await turns.idle();
  expect(errors).toEqual(['a: failed']);
});
