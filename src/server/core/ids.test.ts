import { expect, test } from 'vitest';
import { idTime, isId, newId } from './ids.ts';

test('ids of one instant sort in order of creation and are unique', () => {
  const now = new Date();
  const ids = Array.from({ length: 2000 }, () => newId(now));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect([isId(id), idTime(id), id[14]]).toEqual([true, now.getTime(), '7']);
});

test('ids beyond the ordered range of one instant are still valid and unique', () => {
  const now = new Date();
  const ids = Array.from({ length: 5000 }, () => newId(now));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect([isId(id), idTime(id)]).toEqual([true, now.getTime()]);
});
