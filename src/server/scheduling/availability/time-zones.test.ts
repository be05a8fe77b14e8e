import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { SEED } from '#dev/testing/seed.ts';
import { sortedStarts } from '#server/mirror/known-days.ts';
import type { BookableType, Calendar } from '../catalogue/catalogue.ts';
import { parseRange } from './list-availability.ts';
import { offeredSlots, presentSlot } from './offered-slots.ts';

/** The IANA time zones that this platform supports. */
const ZONES = [...Intl.supportedValuesOf('timeZone'), 'UTC'];
/** Weeks tested in each zone. */
const RUNS = process.env.PROVE === '1' ? Math.ceil(10_000 / ZONES.length) : 1;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const STEP = 30;

const TYPE: BookableType = {
  id: 21,
  name: 'Visit',
  offered: true,
  bookable: true,
  description: null,
  durationMinutes: 30,
  paddingBeforeMinutes: 0,
  paddingAfterMinutes: 0,
  calendarIds: [],
  locationFieldId: 1,
};
const calendarIn = (timeZone: string, id: number): Calendar => ({
  id,
  name: timeZone,
  timeZone,
  emails: [],
  practitionerId: null,
  typeIds: [21],
});

const formats = new Map<string, Intl.DateTimeFormat>();
/** Local date, time and offset of an instant, from the platform's own tables. */
function clockOf(ms: number, timeZone: string): { date: string; text: string } {
  let format = formats.get(timeZone);
  if (!format) {
    const two = '2-digit';
    const parts = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const;
    format = new Intl.DateTimeFormat('en-CA', { timeZone, hourCycle: 'h23', ...parts });
    formats.set(timeZone, format);
  }
  const shown = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const date = `${shown.year}-${shown.month}-${shown.day}`;
  const time = `${shown.hour}:${shown.minute}:${shown.second}`;
  const ahead = Math.round((Date.parse(`${date}T${time}Z`) - ms) / MINUTE);
  const two = (value: number) => String(value).padStart(2, '0');
  const offset = `${ahead < 0 ? '-' : '+'}${two(Math.floor(Math.abs(ahead) / 60))}:${two(Math.abs(ahead) % 60)}`;
  return { date, text: `${date}T${time}${offset}` };
}

/** What Acuity returns for a local day: every half hour of it, by elapsed time. */
function providerStarts(day: string, timeZone: string): number[] {
  const from = Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds / MINUTE;
  const until = Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds / MINUTE;
  const first = Math.ceil(from / STEP) * STEP;
  return Array.from({ length: Math.max(0, Math.ceil((until - first) / STEP)) }, (_, n) => first + n * STEP);
}

type Claimed = { calendarId: number; from: number; until: number };

function offered(query: { from_date: string; to_date: string }, calendars: Calendar[], claims: Claimed[], now: number) {
  const inZone = parseRange(query, now);
  if (!inZone) return [];
  const ranges = calendars.map((calendar) => ({ calendar, range: inZone(calendar.timeZone) }));
  const days = ranges.flatMap(({ calendar, range }) =>
    range.days.map((day) => ({
      calendarId: calendar.id,
      startsAt: sortedStarts(providerStarts(day, calendar.timeZone).reverse(), day, calendar.timeZone),
    })),
  );
  const held = claims.map((claim) => ({ ...claim, typeId: 21, appointmentId: '', isOpen: false }));
  return offeredSlots({ type: TYPE, types: [TYPE] }, ranges, days, held).map((slot) => presentSlot(TYPE, slot));
}

/** Naive reference: checks each half hour in turn, using only the local clocks. */
function reference(
  range: { from_date: string; to_date: string },
  calendars: Calendar[],
  claims: Claimed[],
  now: number,
) {
  const isDay = range.from_date.length === 10;
  const slots: { from_date: string; calendar_id: number; at: number }[] = [];
  // Local days are at most 14 hours ahead of UTC, and 12 behind.
  const first = Math.floor((Date.parse(range.from_date) - DAY) / (STEP * MINUTE)) * STEP;
  const last = Math.floor((Date.parse(range.to_date) + 2 * DAY) / MINUTE);
  const isDuring = (at: number) => at >= Date.parse(range.from_date) && at <= Date.parse(range.to_date);
  for (let at = first; at <= last; at += STEP) {
    if (at * MINUTE <= now || !(isDay || isDuring(at * MINUTE))) continue;
    for (const { id, timeZone } of calendars) {
      const { date, text } = clockOf(at * MINUTE, timeZone);
      if (isDay && (date < range.from_date || date > range.to_date)) continue;
      const isHeld = claims.some(({ calendarId, from, until }) => calendarId === id && at < until && at + 30 > from);
      if (!isHeld) slots.push({ from_date: text, calendar_id: id, at });
    }
  }
  return slots;
}

/** Returns the zone's next clock change within four years, or the instant itself. */
function changeAfter(ms: number, timeZone: string): number {
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
  const next = at.getTimeZoneTransition('next')?.epochMilliseconds ?? ms;
  return next - ms < 4 * 365 * DAY ? next : ms;
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const arbitrary = fc.record({
  others: fc.array(fc.constantFrom(...ZONES), { maxLength: 2 }),
  since: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2032, 0, 1) }),
  before: fc.nat(3),
  days: fc.nat(6),
  byInstant: fc.boolean(),
  claims: fc.array(
    fc.record({
      who: fc.nat(2),
      minute: fc.integer({ min: -1440, max: 7 * 1440 }),
      long: fc.integer({ min: 5, max: 180 }),
    }),
    { maxLength: 6 },
  ),
  nowAhead: fc.integer({ min: -3000, max: 3000 }),
});

describe('the offered slots', () => {
  test(`equal a naive reference, in ${ZONES.length} zones around clock changes (${RUNS} weeks of each)`, () => {
    console.info(`zones: seed ${SEED}`);
    for (const name of ZONES)
      fc.assert(
        fc.property(arbitrary, ({ others, since, before, days, byInstant, claims, nowAhead }) => {
          const first = changeAfter(since, name) - before * DAY;
          const range = byInstant
            ? { from_date: new Date(first).toISOString(), to_date: new Date(first + (days + 1) * DAY).toISOString() }
            : { from_date: dayOf(first), to_date: dayOf(first + days * DAY) };
          const calendars = [name, ...others].map((timeZone, n) => calendarIn(timeZone, n + 1));
          const held = claims.map(({ who, minute, long }) => {
            const from = Math.floor(first / MINUTE) + minute;
            return { calendarId: (who % calendars.length) + 1, from, until: from + long };
          });
          const now = first + nowAhead * MINUTE;
          const slots = offered(range, calendars, held, now);
          const expected = reference(range, calendars, held, now);
          expect(slots.map(({ from_date, calendar_id }) => `${from_date} ${calendar_id}`)).toEqual(
            expected.map(({ from_date, calendar_id }) => `${from_date} ${calendar_id}`),
          );
          for (const slot of slots) expect(Date.parse(slot.to_date) - Date.parse(slot.from_date)).toBe(30 * MINUTE);
        }),
        { numRuns: RUNS, seed: SEED },
      );
  }, 600_000);

  test.each([
    ['of 23 hours', '2027-03-14', 46],
    ['of 25 hours', '2026-11-01', 50],
    ['of 24 hours', '2026-11-02', 48],
  ])('fill a day %s', (_, day, count) => {
    const range = { from_date: day, to_date: day };
    const now = Date.parse(day) - 7 * DAY;
    const slots = offered(range, [calendarIn('America/New_York', 1)], [], now);
    expect(slots).toHaveLength(count);
    expect(new Set(slots.map(({ from_date }) => from_date)).size).toBe(count);
    expect(slots.every(({ from_date }) => from_date.startsWith(day))).toBe(true);
  });

  test('skip the day that Samoa left out', () => {
    // Pacific/Apia skipped December 30, 2011.
    const now = Date.parse('2011-12-20');
    const week = { from_date: '2011-12-28', to_date: '2012-01-01' };
    const slots = offered(week, [calendarIn('Pacific/Apia', 1)], [], now);
    const days = new Set(slots.map(({ from_date }) => from_date.slice(0, 10)));
    expect([...days]).toEqual(['2011-12-28', '2011-12-29', '2011-12-31', '2012-01-01']);
  });
});
