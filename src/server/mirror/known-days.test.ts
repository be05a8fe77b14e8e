import { expect, test } from 'vitest';
import { sortedStarts } from './known-days.ts';

const minute = (text: string) => Date.parse(text) / 60_000;

test('sortedStarts removes duplicates, sorts, and drops starts of other days', () => {
  const starts = [
    minute('2026-11-23T16:00Z'),
    minute('2026-11-23T15:00Z'),
    minute('2026-11-23T16:00Z'),
    // The evening before, and the morning after, in New York.
    minute('2026-11-23T04:30Z'),
    minute('2026-11-24T05:00Z'),
    minute('2020-01-01T15:00Z'),
  ];
  expect(sortedStarts(starts, '2026-11-23', 'America/New_York')).toEqual([
    minute('2026-11-23T15:00Z'),
    minute('2026-11-23T16:00Z'),
  ]);
});
