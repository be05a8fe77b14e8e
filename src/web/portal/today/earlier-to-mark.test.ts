import { expect, test } from 'vitest';
import { earlierToMark, MAX_EARLIER } from './earlier-to-mark.ts';

const at = (hour: number) => ({ id: `at-${hour}`, from_date: new Date(Date.UTC(2026, 10, 22, hour)).toISOString() });
const none = new Map();

test('lists the latest of the days before', () => {
  const unmarked = Array.from({ length: MAX_EARLIER + 1 }, (_, index) => at(20 - index));
  expect(earlierToMark(unmarked, none, [])).toEqual(unmarked.slice(0, MAX_EARLIER));
});

test('keeps those marked here in their places, unless the mark was undone or they are of today', () => {
  const marked = new Map([at(10), at(9), at(23)].map((one) => [one.id, one]));
  expect(earlierToMark([at(12), at(9), at(8)], marked, [at(23)])).toEqual([at(12), at(10), at(9), at(8)]);
});
