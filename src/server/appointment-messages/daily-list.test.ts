import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { SEED } from '#dev/testing/seed.ts';
import { addDays, localDay, toMinute } from '#server/core/zone.ts';
import { hourOf, nextListAt } from './daily-list.ts';

const ZONES = Intl.supportedValuesOf('timeZone');
const at = (text: string) => new Date(text);

test.each([
  // Clocks skip from two to three on March 8.
  ['America/New_York', 2, '2026-03-07', ['2026-03-07T07:00Z', '2026-03-08T07:00Z', '2026-03-09T06:00Z']],
  // The hour from one to two occurs twice on November 1.
  ['America/New_York', 1, '2026-10-31', ['2026-10-31T05:00Z', '2026-11-01T05:00Z', '2026-11-02T06:00Z']],
  ['Europe/Berlin', 7, '2026-03-28', ['2026-03-28T06:00Z', '2026-03-29T05:00Z', '2026-03-30T05:00Z']],
  ['Europe/Berlin', 7, '2026-10-24', ['2026-10-24T05:00Z', '2026-10-25T06:00Z', '2026-10-26T06:00Z']],
])('in %s at %i o’clock from %s on', (zone, hour, first, due) => {
  expect(due.map((_, count) => hourOf(addDays(first, count), hour, zone))).toEqual(due.map(at));
});

test('each day of a year has one list, at its hour, in every zone', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 360 * 24 * 60 }),
      (zone, hour, minutes) => {
        let now = new Date(Date.UTC(2026, 0, 1) + minutes * 60_000);
        let day: string | null = null;
        for (let count = 0; count < 10; count += 1) {
          const due = nextListAt({ hour, day }, zone, now);
          const today = localDay(toMinute(due), zone);
          expect(due > now).toBe(true);
          if (day !== null) expect(today).toBe(addDays(day, 1));
          const wall = Temporal.Instant.fromEpochMilliseconds(due.getTime()).toZonedDateTimeISO(zone);
          // When the clock skips the hour, the list is sent at the next one.
          expect([hour, hour + 1]).toContain(wall.hour);
          [now, day] = [due, today];
        }
      },
    ),
    { numRuns: ZONES.length, seed: SEED },
  );
});

test('a day that was started has no second list after a change of hour or zone', () => {
  const now = at('2026-11-23T12:00Z');
  expect(nextListAt({ hour: 20, day: '2026-11-23' }, 'UTC', now)).toEqual(at('2026-11-24T20:00Z'));
  // Started where it was the 24th already.
  expect(nextListAt({ hour: 20, day: '2026-11-24' }, 'America/New_York', now)).toEqual(at('2026-11-26T01:00Z'));
});
