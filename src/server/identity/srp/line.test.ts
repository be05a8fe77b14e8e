import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLine } from './line.ts';

test('so many run at a time, in the order they came, and a failure makes room too', async () => {
  const line = createLine(3);
  const began: number[] = [];
  let running = 0;
  let most = 0;
  const works = Array.from({ length: 20 }, (_, index) =>
    line(async () => {
      began.push(index);
      most = Math.max(most, ++running);
      await nextTurn();
      running -= 1;
      if (index % 4 === 0) throw new Error(`${index}`);
      return index;
    }),
  );
  const settled = await Promise.allSettled(works);
  expect(most).toBe(3);
  expect(began).toEqual(began.map((_, index) => index));
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(5);
  expect(await line(async () => 'later')).toBe('later');
});
