import { expect, test } from 'vitest';
import { dayBounds } from './day-bounds.ts';

test("a day runs from the zone's midnight to just before the next", () => {
  expect(dayBounds('2026-11-23', 'America/New_York')).toEqual({
    start: '2026-11-23T05:00:00.000Z',
    end: '2026-11-24T04:59:59.999Z',
  });
  expect(dayBounds('2026-11-23', 'Asia/Kolkata').start).toBe('2026-11-22T18:30:00.000Z');
});

test('the days on which clocks change have 23 and 25 hours', () => {
  const hours = (day: string) => {
    const { start, end } = dayBounds(day, 'America/New_York');
    return Math.round((Date.parse(end) - Date.parse(start)) / 3_600_000);
  };
  expect(hours('2026-03-08')).toBe(23);
  expect(hours('2026-11-01')).toBe(25);
});
