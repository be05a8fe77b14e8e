import { expect, test } from 'vitest';
import { openSlots, type Schedule, type SlotRules } from './availability.ts';
import { addDays, formatInstant, parseInstant, startOfDay } from './zone.ts';

const ZONE = 'America/New_York';
const at = (text: string) => parseInstant(text, ZONE)!;
const everyDay = (startMinute: number, endMinute: number) =>
  Array.from({ length: 7 }, () => [{ startMinute, endMinute }]);
const RULES: SlotRules = {
  duration: 60,
  paddingBefore: 0,
  paddingAfter: 0,
  interval: 30,
  earliestAt: 0,
  latestAt: Number.MAX_SAFE_INTEGER,
};

function slotTimes(schedule: Partial<Schedule>, date: string, rules: Partial<SlotRules> = {}): string[] {
  const full = { timezone: ZONE, hours: everyDay(540, 720), booked: [], blocked: [], ...schedule };
  const day = { startAt: startOfDay(date, ZONE), endAt: startOfDay(addDays(date, 1), ZONE) };
  return openSlots(full, { ...RULES, ...rules }, day).map((start) => formatInstant(start, full.timezone).slice(11));
}

test('a slot lies on the grid and fits entirely into the working hours', () => {
  expect(slotTimes({}, '2036-01-14')).toEqual([
    '09:00:00-0500',
    '09:30:00-0500',
    '10:00:00-0500',
    '10:30:00-0500',
    '11:00:00-0500',
  ]);
});

test('an appointment blocks its own time and its padding', () => {
  const booked = [
    { startAt: at('2036-01-14T10:00'), endAt: at('2036-01-14T10:30'), paddingBefore: 0, paddingAfter: 30 },
  ];
  expect(slotTimes({ booked }, '2036-01-14')).toEqual(['09:00:00-0500', '11:00:00-0500']);
  expect(slotTimes({ booked }, '2036-01-14', { paddingAfter: 15 })).toEqual(['11:00:00-0500']);
});

test('a block removes slots of every service', () => {
  const blocked = [{ startAt: at('2036-01-14T09:15'), endAt: at('2036-01-14T10:15') }];
  expect(slotTimes({ blocked }, '2036-01-14')).toEqual(['10:30:00-0500', '11:00:00-0500']);
});

test('minimum notice and booking horizon are inclusive bounds of the start', () => {
  const bounds = { earliestAt: at('2036-01-14T09:30'), latestAt: at('2036-01-14T10:30') };
  expect(slotTimes({}, '2036-01-14', bounds)).toEqual(['09:30:00-0500', '10:00:00-0500', '10:30:00-0500']);
});

test('offers no slot in the hour that a DST change skips', () => {
  expect(slotTimes({ hours: everyDay(0, 300) }, '2036-03-09', { interval: 60 })).toEqual([
    '00:00:00-0500',
    '01:00:00-0500',
    '03:00:00-0400',
    '04:00:00-0400',
  ]);
});

test('offers the repeated hour of a DST change twice, under two offsets', () => {
  expect(slotTimes({ hours: everyDay(0, 180) }, '2036-11-02', { interval: 60 })).toEqual([
    '00:00:00-0400',
    '01:00:00-0400',
    '01:00:00-0500',
    '02:00:00-0500',
  ]);
});

test('working hours can end at midnight', () => {
  expect(slotTimes({ hours: everyDay(1380, 1440) }, '2036-01-14')).toEqual(['23:00:00-0500']);
});

test('parses datetimes with or without an offset and rejects other text', () => {
  expect(parseInstant('2036-01-14T10:00:00-0500', 'UTC')).toBe(Date.UTC(2036, 0, 14, 15));
  expect(parseInstant('2036-01-14 10:00', ZONE)).toBe(Date.UTC(2036, 0, 14, 15));
  expect(parseInstant('2036-01-14T10:00:00.000Z', ZONE)).toBe(Date.UTC(2036, 0, 14, 10));
  for (const text of ['tomorrow 10am', '2036-02-30T10:00', '2036-01-14', '', '2036-01-14T25:00']) {
    expect(parseInstant(text, ZONE)).toBeNull();
  }
});
