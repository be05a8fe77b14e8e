// Imported before node-ical, which sets a global Temporal that later imports would pick up.
import 'temporal-polyfill';

import ICAL from 'ical.js';
import nodeIcal from 'node-ical';
import { describe, expect, test } from 'vitest';
import { type CalendarEntry, calendarFile } from './calendar-file.ts';

const entry = (more: Partial<CalendarEntry> = {}): CalendarEntry => ({
  uid: 'visit-1@carelane',
  sequence: 0,
  method: 'REQUEST',
  startAt: new Date('2026-11-23T14:00:00Z'),
  endAt: new Date('2026-11-23T14:30:00Z'),
  timeZone: 'America/New_York',
  title: 'Visit at Lakeside; “Clinic”, Ltd.',
  description: null,
  link: 'https://care.example.test/visit/token',
  stampedAt: new Date('2026-11-16T10:00:00Z'),
  organizer: { name: 'Lakeside Clinic', email: 'care@example.test' },
  attendee: { name: 'ada@example.test', email: 'ada@example.test' },
  ...more,
});

/** Parses the file with its own VTIMEZONE. */
function read(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const block = calendar.getFirstSubcomponent('vtimezone')!;
  const zone = new ICAL.Timezone(block);
  const event = new ICAL.Event(calendar.getFirstSubcomponent('vevent')!);
  const instant = (time: InstanceType<typeof ICAL.Time>) => {
    const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
    return new Date(wall - zone.utcOffset(time) * 1000);
  };
  return {
    method: calendar.getFirstPropertyValue('method'),
    tzid: block.getFirstPropertyValue('tzid'),
    uid: event.uid,
    sequence: event.sequence,
    title: event.summary,
    status: event.component.getFirstPropertyValue('status'),
    start: instant(event.startDate),
    end: instant(event.endDate),
  };
}

/** Parses the file with another library, which uses its own time zones. */
function readByAnother(text: string) {
  const events = Object.values(nodeIcal.sync.parseICS(text)).filter((one) => one?.type === 'VEVENT');
  return events.map((event) => {
    const { uid, sequence, start, end, summary, status } = event as never as Record<string, unknown>;
    return {
      uid,
      sequence: Number(sequence),
      start: new Date(start as Date),
      end: new Date(end as Date),
      summary,
      status,
    };
  })[0]!;
}

type Held = 'sequence' | 'start' | 'status' | 'uid';

/** Applies files as RFC 5546 requires: for one UID the highest SEQUENCE wins, in any order of arrival. */
function calendarAfter(files: string[], parse: (text: string) => Pick<ReturnType<typeof readByAnother>, Held>) {
  let held: ReturnType<typeof parse> | null = null;
  for (const one of files.map(parse)) if (!held || one.sequence >= held.sequence) held = one;
  return held && held.status !== 'CANCELLED' ? held.start : null;
}

describe('the calendar file of an appointment', () => {
  test('is parsed alike by two libraries', () => {
    const text = calendarFile('Lakeside Clinic', 'REQUEST', [entry()]);
    expect(text).toContain('METHOD:REQUEST');
    const own = read(text);
    expect(own).toMatchObject({ method: 'REQUEST', uid: 'visit-1@carelane', sequence: 0, status: 'CONFIRMED' });
    expect([own.start, own.end]).toEqual([entry().startAt, entry().endAt]);
    expect(own.title).toBe(entry().title);
    const parsed = readByAnother(text);
    expect(parsed).toMatchObject({ uid: own.uid, sequence: 0, start: own.start, end: own.end, summary: own.title });
  });

  test('has its DTSTAMP in UTC, in every process time zone', () => {
    const { TZ } = process.env;
    try {
      for (const zone of ['America/New_York', 'Asia/Kathmandu']) {
        process.env.TZ = zone;
        expect(calendarFile('A', 'REQUEST', [entry()])).toContain('\r\nDTSTAMP:20261116T100000Z\r\n');
      }
    } finally {
      // Assigning undefined would set the variable to the string "undefined".
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });

  test('has lines of at most 75 bytes and escapes line breaks', () => {
    const text = calendarFile('A', 'REQUEST', [entry({ title: `Long ${'é,;\\'.repeat(80)}\r\nBEGIN:VALARM` })]);
    expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
    expect(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent')!.getAllSubcomponents()).toEqual([]);
  });

  test.each([
    ['ical.js', read],
    ['node-ical', readByAnother],
  ])('read by %s after a reschedule and a cancellation, in any order, leaves the current state', (_, parse) => {
    const created = calendarFile('A', 'REQUEST', [entry()]);
    const later = { startAt: new Date('2026-11-24T14:00:00Z'), endAt: new Date('2026-11-24T14:30:00Z') };
    const moved = calendarFile('A', 'REQUEST', [entry({ sequence: 1, ...later })]);
    const canceled = calendarFile('A', 'CANCEL', [entry({ sequence: 2, method: 'CANCEL', ...later })]);
    expect(parse(moved)).toMatchObject({
      status: 'CONFIRMED',
      sequence: 1,
      uid: parse(created).uid,
      start: later.startAt,
    });
    expect(parse(canceled)).toMatchObject({ status: 'CANCELLED', sequence: 2, uid: parse(created).uid });
    expect([moved, canceled].map((file) => read(file).method)).toEqual(['REQUEST', 'CANCEL']);
    for (const order of [
      [created, moved],
      [moved, created],
    ])
      expect(calendarAfter(order, parse)).toEqual(later.startAt);
    for (const order of [
      [created, moved, canceled],
      [canceled, moved, created],
      [moved, canceled, created],
    ])
      expect(calendarAfter(order, parse)).toBeNull();
  });
});

/** A DST change of half an hour or of two hours, a DST reversed in summer, no DST, and a quarter-hour offset. */
const STRANGE = ['Australia/Lord_Howe', 'Antarctica/Troll', 'Africa/Casablanca', 'Africa/Nairobi', 'Asia/Kathmandu'];

test("every time zone's VTIMEZONE is valid across both clock changes", () => {
  const misread: string[] = [];
  const all = Intl.supportedValuesOf('timeZone');
  for (const timeZone of process.env.PROVE ? all : [...STRANGE, ...all.filter((_, index) => index % 100 === 0)])
    for (let month = 0; month < 12; month += 1)
      for (const day of [1, 27]) {
        const startAt = new Date(Date.UTC(2026, month, day, 13, 30));
        const endAt = new Date(startAt.getTime() + 30 * 60_000);
        const { start, tzid } = read(calendarFile('A', 'REQUEST', [entry({ timeZone, startAt, endAt })]));
        if (start.getTime() !== startAt.getTime() || tzid !== timeZone)
          misread.push(`${timeZone} ${startAt.toISOString()}`);
      }
  expect(misread).toEqual([]);
}, 120_000);
