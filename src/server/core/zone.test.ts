import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { addDays, localDay, offsetAt, stamp, startOfDay } from './zone.ts';

const ZONES = [
  'UTC',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
];

test.each(ZONES)('stamps in %s equal those of Temporal across all clock changes', (zone) => {
  const naive = (minute: number) =>
    Temporal.Instant.fromEpochMilliseconds(minute * 60_000)
      .toZonedDateTimeISO(zone)
      .toString({ timeZoneName: 'never', smallestUnit: 'second' });
  const from = Date.parse('2025-12-30T00:00Z') / 60_000;
  // Steps that do not divide a day reach odd minutes; both directions through the cached spans are tested.
  for (let step = 0; step < 1200; step += 1) {
    const minute = from + step * 487;
    expect(stamp(minute, zone)).toBe(naive(minute));
    const backwards = from + (1200 - step) * 491;
    expect(stamp(backwards, zone)).toBe(naive(backwards));
  }
});

test('the minutes around a clock change have their own offsets', () => {
  const springs = Date.parse('2027-03-14T07:00:00Z') / 60_000;
  expect([springs - 1, springs].map((minute) => offsetAt(minute, 'America/New_York'))).toEqual([-300, -240]);
  expect(stamp(springs, 'America/New_York')).toBe('2027-03-14T03:00:00-04:00');
});

test("local days begin by the zone's rules and have 23 or 25 hours at clock changes", () => {
  const length = (day: string) => startOfDay(addDays(day, 1), 'America/New_York') - startOfDay(day, 'America/New_York');
  expect([length('2027-03-13'), length('2027-03-14'), length('2027-11-07')]).toEqual([1440, 1380, 1500]);
  expect(addDays('2027-02-27', 2)).toBe('2027-03-01');
  expect(localDay(startOfDay('2027-11-07', 'America/New_York') + 1499, 'America/New_York')).toBe('2027-11-07');
});
