import { expect, test } from 'vitest';
import { dayBounds, toInstant } from './local-time.ts';

test('bounds a day by midnight in the time zone', () => {
  expect(dayBounds('2026-11-23', 'America/New_York')).toEqual({
    start: '2026-11-23T05:00:00.000Z',
    end: '2026-11-24T04:59:59.999Z',
  });
  expect(dayBounds('2026-11-23', 'Asia/Kolkata').start).toBe('2026-11-22T18:30:00.000Z');
});

test('handles days of 23 and 25 hours', () => {
  const hours = (day: string) => {
    const { start, end } = dayBounds(day, 'America/New_York');
    return Math.round((Date.parse(end) - Date.parse(start)) / 3_600_000);
  };
  expect(hours('2026-03-08')).toBe(23);
  expect(hours('2026-11-01')).toBe(25);
});

test.each([
  ['2026-11-23T09:00', 'America/New_York', '2026-11-23T14:00:00Z'],
  ['2026-07-01T09:00', 'America/New_York', '2026-07-01T13:00:00Z'],
  ['2026-11-23T09:00', 'Asia/Kathmandu', '2026-11-23T03:15:00Z'],
  ['2026-11-23T00:30', 'Pacific/Kiritimati', '2026-11-22T10:30:00Z'],
  // 02:30 does not exist on this day, and 01:30 occurs twice.
  ['2027-03-14T02:30', 'America/New_York', '2027-03-14T07:30:00Z'],
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
  ['tomorrow', 'UTC', null],
  ['', 'UTC', null],
])('%s in %s is %s', (local, zone, instant) => {
  expect(toInstant(local, zone)).toBe(instant);
});
