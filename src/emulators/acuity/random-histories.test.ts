import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { SEED } from '#dev/testing/seed.ts';
import { type Diary, openSlots } from './availability.ts';
import { bookingInput, MONDAY, startAccount } from './test-account.ts';
import { MINUTE_MS } from './zone.ts';

const FIRST = Date.UTC(2036, 0, 1);
const ZONES = ['America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'];

/** Finds slots by testing every fifth minute against the wall clock, independently of the implementation. */
function slotsBySearch(diary: Diary, duration: number, interval: number, from: number, until: number): number[] {
  const found: number[] = [];
  for (let at = from; at < until; at += 5 * MINUTE_MS) {
    const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(diary.timezone);
    const end = at + duration * MINUTE_MS;
    const fits = diary.hours[local.dayOfWeek - 1]!.some(({ startMinute, endMinute }) => {
      const midnight = local.toPlainDate().toPlainDateTime();
      const opens = midnight.add({ minutes: startMinute }).toZonedDateTime(diary.timezone).epochMilliseconds;
      const closes = midnight.add({ minutes: endMinute }).toZonedDateTime(diary.timezone).epochMilliseconds;
      return at >= opens && end <= closes && (at - opens) % (interval * MINUTE_MS) === 0;
    });
    const clash = [...diary.booked, ...diary.blocked].some((busy) => busy.startAt < end && at < busy.endAt);
    if (fits && !clash) found.push(at);
  }
  return found;
}

test('slots equal those of an exhaustive search, in any time zone and on any day of the year', () => {
  const span = fc
    .tuple(fc.integer({ min: 0, max: 2880 }), fc.integer({ min: 5, max: 300 }))
    .map(([start, length]) => ({ startAt: start, endAt: start + length }));
  const window = fc
    .tuple(fc.integer({ min: 0, max: 280 }), fc.integer({ min: 2, max: 180 }))
    .map(([start, length]) => ({ startMinute: 5 * start, endMinute: Math.min(5 * (start + length), 1440) }));
  const around = fc.oneof(fc.integer({ min: 0, max: 364 }), fc.constantFrom(67, 88, 95, 297, 298, 305));

  fc.assert(
    fc.property(
      fc.record({
        timezone: fc.constantFrom(...ZONES),
        window,
        booked: fc.array(span, { maxLength: 4 }),
        blocked: fc.array(span, { maxLength: 2 }),
        day: around,
        duration: fc.integer({ min: 5, max: 120 }),
        interval: fc.constantFrom(5, 10, 15, 20, 30, 60),
      }),
      ({ timezone, window: hours, booked, blocked, day, duration, interval }) => {
        const from = FIRST + day * 1440 * MINUTE_MS;
        const until = from + 2 * 1440 * MINUTE_MS;
        const toInstants = ({ startAt, endAt }: { startAt: number; endAt: number }) => ({
          startAt: from + startAt * MINUTE_MS,
          endAt: from + endAt * MINUTE_MS,
          paddingBefore: 0,
          paddingAfter: 0,
        });
        const diary: Diary = {
          timezone,
          hours: Array.from({ length: 7 }, () => [hours]),
          booked: booked.map(toInstants),
          blocked: blocked.map(toInstants),
        };
        const rules = { duration, interval, paddingBefore: 0, paddingAfter: 0, earliestAt: 0, latestAt: until };
        expect(openSlots(diary, rules, { startAt: from, endAt: until })).toEqual(
          slotsBySearch(diary, duration, interval, from, until),
        );
      },
    ),
    { numRuns: 50, seed: SEED },
  );
});

test('no sequence of concurrent requests creates overlapping appointments on one calendar', async () => {
  const { call, running } = await startAccount({}, { now: '2036-01-11T12:00:00Z' });
  const booked: number[] = [];
  const hour = fc.integer({ min: 8, max: 17 }).map((value) => String(value).padStart(2, '0'));
  const step = fc.record({
    kind: fc.constantFrom('book', 'book', 'book', 'move', 'cancel'),
    datetime: fc.tuple(hour, fc.constantFrom('00', '30')).map(([h, m]) => `${MONDAY}T${h}:${m}:00-0500`),
    appointmentTypeID: fc.constantFrom(21, 22),
    calendarID: fc.constantFrom(11, 12, undefined),
    target: fc.nat(30),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const answers = await Promise.all(
        steps.map(({ kind, datetime, appointmentTypeID, calendarID, target }) => {
          const id = booked[target % Math.max(1, booked.length)];
          if (kind === 'book' || id === undefined) {
            const fields = appointmentTypeID === 22 ? [{ id: 42, value: 'x' }] : [];
            return call('POST', '/appointments', bookingInput({ datetime, appointmentTypeID, calendarID, fields }));
          }
          if (kind === 'cancel') return call('PUT', `/appointments/${id}/cancel`, {});
          return call('PUT', `/appointments/${id}/reschedule`, { datetime, calendarID });
        }),
      );
      for (const { status, body } of answers) {
        expect([200, 400]).toContain(status);
        if (status === 200) booked.push(body.id);
      }
      const live = running.world.state.accounts['900100']!.appointments.filter(({ canceled }) => !canceled);
      for (const one of live) {
        for (const other of live) {
          const apart = one === other || one.calendarId !== other.calendarId;
          expect(apart || one.endAt <= other.startAt || other.endAt <= one.startAt).toBe(true);
        }
      }
    }),
    { numRuns: 30, seed: SEED },
  );
});
