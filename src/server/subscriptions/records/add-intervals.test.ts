import { describe, expect, it } from 'vitest';
import { addIntervals, type Interval } from './subscription.ts';

describe('addIntervals', () => {
  it.each<[string, Interval, number, string]>([
    ['2026-01-31T10:00:00.000Z', 'month', 1, '2026-02-28T10:00:00.000Z'],
    ['2028-01-31T10:00:00.000Z', 'month', 1, '2028-02-29T10:00:00.000Z'],
    ['2026-03-31T23:59:59.000Z', 'month', 3, '2026-06-30T23:59:59.000Z'],
    ['2026-12-15T00:00:00.000Z', 'month', 2, '2027-02-15T00:00:00.000Z'],
    ['2028-02-29T00:00:00.000Z', 'year', 1, '2029-02-28T00:00:00.000Z'],
    ['2026-02-25T00:00:00.000Z', 'week', 2, '2026-03-11T00:00:00.000Z'],
    ['2026-12-31T00:00:00.000Z', 'day', 1, '2027-01-01T00:00:00.000Z'],
  ])('%s plus %s × %d is %s', (from, interval, count, to) => {
    expect(addIntervals(new Date(from), interval, count).toISOString()).toBe(to);
  });
});
