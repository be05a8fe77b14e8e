import { expect, test } from 'vitest';
import { idTime, isId, newId } from './ids.ts';

test('ids of one instant sort as they were made, and none is met twice', () => {
  const now = new Date();
  const made = Array.from({ length: 2000 }, () => newId(now));
  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
  for (const id of made) expect([isId(id), idTime(id), id[14]]).toEqual([true, now.getTime(), '7']);
});

test('more than fit in order are ids all the same, each its own', () => {
  const now = new Date();
  const made = Array.from({ length: 5000 }, () => newId(now));
  expect(new Set(made).size).toBe(made.length);
  for (const id of made) expect([isId(id), idTime(id)]).toEqual([true, now.getTime()]);
});
