import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { SEED } from '#dev/testing/seed.ts';
import { endOfQuiet, isQuiet, type Quiet, reminderTime } from './reminder-time.ts';

const ZONES = Intl.supportedValuesOf('timeZone');
const NIGHT = { from: 21 * 60, until: 8 * 60 };
const NEW_YORK = 'America/New_York';
const local = (text: string, zone = NEW_YORK) =>
  new Date(Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochMilliseconds);
/** Local minute of the day, by other means than the tested code. */
const wallMinute = (at: Date, zone: string) => {
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return hour * 60 + minute;
};
const isQuietByWall = (at: Date, quiet: NonNullable<Quiet>, zone: string) => {
  const now = wallMinute(at, zone);
  return quiet.from < quiet.until ? now >= quiet.from && now < quiet.until : now >= quiet.from || now < quiet.until;
};

describe('a reminder', () => {
  test.each([
    ['during the day is sent as planned', '2026-11-24T13:00', 1440, '2026-11-23T13:00'],
    ['of an early appointment waits for the morning of the day before', '2026-11-24T07:00', 1440, '2026-11-23T08:00'],
    ['an hour before half past eight comes at eight', '2026-11-24T08:30', 60, '2026-11-24T08:00'],
    ['an hour before seven comes the evening before', '2026-11-24T07:00', 60, '2026-11-23T20:59'],
    ['late at night comes the next morning', '2026-11-24T22:30', 1440, '2026-11-24T08:00'],
    ['over the change to winter is a whole day before', '2026-11-01T12:00', 1440, '2026-10-31T13:00'],
    ['over the change to summer is a whole day before', '2026-03-08T12:00', 1440, '2026-03-07T11:00'],
  ])('%s', (_, startsAt, minutesBefore, expected) => {
    expect(reminderTime(local(startsAt), minutesBefore, NIGHT, NEW_YORK)).toEqual(local(expected));
  });

  test('has no quiet hours when the tenant has none', () => {
    const startsAt = local('2026-11-24T03:00');
    for (const quiet of [null, { from: 300, until: 300 }])
      expect(reminderTime(startsAt, 60, quiet, NEW_YORK)).toEqual(local('2026-11-24T02:00'));
  });
});

const minuteOfDay = fc.integer({ min: 0, max: 1439 });
const whenever = fc.record({
  zone: fc.constantFrom(...ZONES),
  startAt: fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2028, 0, 1) / 60_000 }),
  minutesBefore: fc.integer({ min: 10, max: 14 * 1440 }),
  quiet: fc.record({ from: minuteOfDay, until: minuteOfDay }).filter(({ from, until }) => from !== until),
});

describe('for an appointment at any time in every zone', () => {
  test('a reminder comes before it and outside quiet hours', () => {
    fc.assert(
      fc.property(whenever, ({ zone, startAt, minutesBefore, quiet }) => {
        const startsAt = new Date(startAt * 60_000);
        const at = reminderTime(startsAt, minutesBefore, quiet, zone);
        expect(at < startsAt).toBe(true);
        expect(isQuietByWall(at, quiet, zone)).toBe(false);
        const planned = new Date(startsAt.getTime() - minutesBefore * 60_000);
        if (!isQuietByWall(planned, quiet, zone)) expect(at).toEqual(planned);
      }),
      { numRuns: process.env.PROVE ? 100_000 : 300, seed: SEED },
    );
  }, 900_000);

  test('quiet hours end exactly when they are over', () => {
    fc.assert(
      fc.property(whenever, ({ zone, startAt, quiet }) => {
        const at = new Date(startAt * 60_000);
        expect(isQuiet(at, quiet, zone)).toBe(isQuietByWall(at, quiet, zone));
        if (!isQuiet(at, quiet, zone)) return;
        const end = endOfQuiet(at, quiet, zone);
        expect(end > at).toBe(true);
        expect(isQuietByWall(end, quiet, zone)).toBe(false);
        // A day with a clock change is at most an hour longer, or two in some zones.
        expect(end.getTime() - at.getTime()).toBeLessThanOrEqual(27 * 3_600_000);
      }),
      { numRuns: process.env.PROVE ? 100_000 : 300, seed: SEED },
    );
  }, 900_000);
});
