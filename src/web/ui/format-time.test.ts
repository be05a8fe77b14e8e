import { expect, test } from 'vitest';
import {
  addDays,
  appointmentTime,
  formatInstant,
  formatPlainDate,
  formatRelative,
  isSameLocalTime,
  localDate,
  localHour,
  plainDateOf,
  zoneName,
} from './format-time.ts';

test('formats an instant in the local time of the zone', () => {
  expect(formatInstant('2026-11-23T09:00:00-05:00', 'datetime', 'America/New_York')).toBe('Mon, Nov 23, 2026, 9:00 AM');
  expect(formatInstant('2026-11-23T09:00:00-05:00', 'time', 'Europe/Berlin')).toBe('3:00 PM');
});

test('formats a birth date as the same day in every zone', () => {
  expect(formatPlainDate('1990-02-28')).toBe('Feb 28, 1990');
});

test('takes the local date and hour from the zone, across midnight', () => {
  expect(localDate('2026-11-23T03:30:00Z', 'America/New_York')).toBe('2026-11-22');
  expect(localHour('2026-11-23T05:00:00Z', 'America/New_York')).toBe(0);
});

test('adds days across a clock change and the end of a month', () => {
  expect(addDays('2026-10-31', 1)).toBe('2026-11-01');
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
});

test('compares the clocks of two zones at an instant, in winter and in summer', () => {
  expect(isSameLocalTime('2026-01-10T12:00:00Z', 'America/Phoenix', 'America/Denver')).toBe(true);
  expect(isSameLocalTime('2026-07-10T12:00:00Z', 'America/Phoenix', 'America/Denver')).toBe(false);
});

test('names a zone by its city', () => {
  expect(zoneName('America/Argentina/Buenos_Aires')).toBe('Buenos Aires');
});

test('formats relative time in the largest whole unit', () => {
  const now = Date.parse('2026-11-23T12:00:00Z');
  expect(formatRelative('2026-11-23T14:10:00Z', now)).toBe('in 2 hours');
  expect(formatRelative('2026-11-22T12:00:00Z', now)).toBe('yesterday');
  expect(formatRelative('2026-11-23T12:00:20Z', now)).toBe('just now');
});

test('accepts only real calendar days', () => {
  expect(['2026-11-23', '2028-02-29'].map(plainDateOf)).toEqual(['2026-11-23', '2028-02-29']);
  for (const invalid of [
    '',
    'notadate',
    '2026-13-45',
    '2026-02-30',
    '2027-02-29',
    '2026-1-1',
    '0000-01-01',
    '9999-12-31',
  ])
    expect(plainDateOf(invalid), invalid).toBeNull();
  expect(plainDateOf('+275760-09-14')).toBeNull();
});

test("formats an appointment in the reader's zone, and in the calendar's zone when it differs, including the day", () => {
  const instant = '2026-11-23T14:30:00Z';
  expect(appointmentTime(instant, 'America/New_York', 'America/Toronto')).toBe('Mon, Nov 23, 2026, 9:30 AM');
  expect(appointmentTime(instant, 'UTC', 'America/New_York')).toBe('Mon, Nov 23, 2026, 2:30 PM (9:30 AM in New York)');
  expect(appointmentTime(instant, 'Asia/Tokyo', 'America/Los_Angeles')).toBe(
    'Mon, Nov 23, 2026, 11:30 PM (6:30 AM in Los Angeles)',
  );
  expect(appointmentTime('2026-11-23T16:30:00Z', 'Asia/Tokyo', 'America/New_York')).toBe(
    'Tue, Nov 24, 2026, 1:30 AM (Mon, 11:30 AM in New York)',
  );
});
