import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { SEED } from '#dev/testing/seed.ts';
import { openSlots, type Schedule } from './availability.ts';
import { bookingInput, MONDAY, startAccount } from './test-account.ts';
import { MINUTE_MS } from './zone.ts';

const FIRST_DAY = Date.UTC(2036, 0, 1);
const ZONES = ['America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'];

/** Finds slots by testing every fifth minute against the wall clock, independently of the implementation. */
function slotsBySearch(schedule: Schedule, duration: number, interval: number, from: number, until: number): number[] {
  const starts: number[] = [];
  for (let at = from; at < until; at += 5 * MINUTE_MS) {
    const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(schedule.timezone);
    const end = at + duration * MINUTE_MS;
    const fits = schedule.hours[local.dayOfWeek - 1]!.some(({ startMinute, endMinute }) => {
      const midnight = local.toPlainDate().toPlainDateTime();
      const opens = midnight.add({ minutes: startMinute }).toZonedDateTime(schedule.timezone).epochMilliseconds;
      const closes = midnight.add({ minutes: endMinute }).toZonedDateTime(schedule.timezone).epochMilliseconds;
      return at >= opens && end <= closes && (at - opens) % (interval * MINUTE_MS) === 0;
    });
    const hasConflict = [...schedule.booked, ...schedule.blocked].some((busy) => busy.startAt < end && at < busy.endAt);
    if (fits && !hasConflict) starts.push(at);
  }
  return starts;
}

test('slots equal those of an exhaustive search, in any time zone and on any day of the year', () => {
  const span = fc
    .tuple(fc.integer({ min: 0, max: 2880 }), fc.integer({ min: 5, max: 300 }))
    .map(([start, length]) => ({ startAt: start, endAt: start + length }));
  const window = fc
    .tuple(fc.integer({ min: 0, max: 280 }), fc.integer({ min: 2, max: 180 }))
    .map(([start, length]) => ({ startMinute: 5 * start, endMinute: Math.min(5 * (start + length), 1440) }));
  const dayOfYear = fc.oneof(fc.integer({ min: 0, max: 364 }), fc.constantFrom(67, 88, 95, 297, 298, 305));

  fc.assert(
    fc.property(
      fc.record({
        timezone: fc.constantFrom(...ZONES),
        window,
        booked: fc.array(span, { maxLength: 4 }),
        blocked: fc.array(span, { maxLength: 2 }),
        day: dayOfYear,
        duration: fc.integer({ min: 5, max: 120 }),
        interval: fc.constantFrom(5, 10, 15, 20, 30, 60),
      }),
      ({ timezone, window: hours, booked, blocked, day, duration, interval }) => {
        const from = FIRST_DAY + day * 1440 * MINUTE_MS;
        const until = from + 2 * 1440 * MINUTE_MS;
        const toInstants = ({ startAt, endAt }: { startAt: number; endAt: number }) => ({
          startAt: from + startAt * MINUTE_MS,
          endAt: from + endAt * MINUTE_MS,
          paddingBefore: 0,
          paddingAfter: 0,
        });
        const schedule: Schedule = {
          timezone,
          hours: Array.from({ length: 7 }, () => [hours]),
          booked: booked.map(toInstants),
          blocked: blocked.map(toInstants),
        };
        const rules = { duration, interval, paddingBefore: 0, paddingAfter: 0, earliestAt: 0, latestAt: until };
        expect(openSlots(schedule, rules, { startAt: from, endAt: until })).toEqual(
          slotsBySearch(schedule, duration, interval, from, until),
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
      const responses = await Promise.all(
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
      for (const { status, body } of responses) {
        expect([200, 400]).toContain(status);
        if (status === 200) booked.push(body.id);
      }
      const live = running.world.state.accounts['900100']!.appointments.filter(({ canceled }) => !canceled);
      for (const appointment of live) {
        for (const other of live) {
          const areSeparate = appointment === other || appointment.calendarId !== other.calendarId;
          expect(areSeparate || appointment.endAt <= other.startAt || other.endAt <= appointment.startAt).toBe(true);
        }
      }
    }),
    { numRuns: 30, seed: SEED },
  );
});
