import { expect, test } from 'vitest';
import { countLabel, pluralize } from './count-label.ts';

test('formats counts with singular and plural nouns', () => {
  const label = (count: number, hasMore = false, total?: { count: number; capped: boolean }) =>
    countLabel({ count, noun: 'patient', hasMore, total });
  expect(label(1)).toBe('1 patient');
  expect(label(20)).toBe('20 patients');
  expect(label(20, true)).toBe('First 20 patients');
  expect(label(20, true, { count: 1322, capped: false })).toBe('First 20 of 1,322 patients');
  expect(label(20, true, { count: 10_000, capped: true })).toBe('First 20 of more than 10,000 patients');
  expect(countLabel({ count: 50, noun: 'entry', hasMore: true })).toBe('First 50 entries');
  expect(countLabel({ count: 1, noun: 'entry', hasMore: false })).toBe('1 entry');
  // The list has grown since the total was counted.
  expect(label(40, true, { count: 39, capped: false })).toBe('First 40 of 40 patients');
});

test('uses the singular only for one', () => {
  expect(pluralize(1, 'day')).toBe('1 day');
  expect(pluralize(14, 'day')).toBe('14 days');
  expect(pluralize(0, 'year')).toBe('0 years');
  expect(pluralize(1.5, 'second')).toBe('1.5 seconds');
});
