// Before node-ical, which sets a global Temporal of its own: whatever imports this one later would get that.
import 'temporal-polyfill';

import ICAL from 'ical.js';
import nodeIcal from 'node-ical';
import { describe, expect, test } from 'vitest';
import { calendarFile, type Entry } from './calendar-file.ts';

const entry = (more: Partial<Entry> = {}): Entry => ({
  uid: 'visit-1@carelane',
  sequence: 0,
  method: 'REQUEST',
  startAt: new Date('2026-11-23T14:00:00Z'),
  endAt: new Date('2026-11-23T14:30:00Z'),
  timeZone: 'America/New_York',
  title: 'Visit at Lakeside; “Clinic”, Ltd.',
  words: null,
  link: 'https://care.example.test/visit/token',
  stampedAt: new Date('2026-11-16T10:00:00Z'),
  organizer: { name: 'Lakeside Clinic', email: 'care@example.test' },
  attendee: { name: 'ada@example.test', email: 'ada@example.test' },
  ...more,
});

/** What a calendar program reads of the file that says so of its zones itself. */
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

/** What another one reads, with its own zones. */
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

/** As RFC 5546 has it: of one entry the highest sequence counts, whenever it comes. */
function calendarAfter(files: string[]) {
  let held: ReturnType<typeof read> | null = null;
  for (const one of files.map(read)) if (!held || one.sequence >= held.sequence) held = one;
  return held && held.status !== 'CANCELLED' ? held.start : null;
}

describe('the file of a visit', () => {
  test('is read alike by two parsers', () => {
    const text = calendarFile('Lakeside Clinic', 'REQUEST', [entry()]);
    expect(text).toContain('METHOD:REQUEST');
    const own = read(text);
    expect(own).toMatchObject({ method: 'REQUEST', uid: 'visit-1@carelane', sequence: 0, status: 'CONFIRMED' });
    expect([own.start, own.end]).toEqual([entry().startAt, entry().endAt]);
    expect(own.title).toBe(entry().title);
    const theirs = readByAnother(text);
    expect(theirs).toMatchObject({ uid: own.uid, sequence: 0, start: own.start, end: own.end, summary: own.title });
  });

  test('is stamped in UTC, wherever the service runs', () => {
    const { TZ } = process.env;
    try {
      for (const zone of ['America/New_York', 'Asia/Kathmandu']) {
        process.env.TZ = zone;
        expect(calendarFile('A', 'REQUEST', [entry()])).toContain('\r\nDTSTAMP:20261116T100000Z\r\n');
      }
    } finally {
      // What was not set cannot be given back as undefined: that would be a name.
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });

  test('has lines of at most 75 bytes, and nothing of it ends a line early', () => {
    const text = calendarFile('A', 'REQUEST', [entry({ title: `Long ${'é,;\\'.repeat(80)}\r\nBEGIN:VALARM` })]);
    expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
    expect(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent')!.getAllSubcomponents()).toEqual([]);
  });

  test('moved and canceled, in order and out of order, leaves a calendar where the visit is', () => {
    const made = calendarFile('A', 'REQUEST', [entry()]);
    const later = { startAt: new Date('2026-11-24T14:00:00Z'), endAt: new Date('2026-11-24T14:30:00Z') };
    const moved = calendarFile('A', 'REQUEST', [entry({ sequence: 1, ...later })]);
    const canceled = calendarFile('A', 'CANCEL', [entry({ sequence: 2, method: 'CANCEL', ...later })]);
    expect(read(canceled)).toMatchObject({ method: 'CANCEL', status: 'CANCELLED', uid: read(made).uid });
    for (const order of [
      [made, moved],
      [moved, made],
    ])
      expect(calendarAfter(order)).toEqual(later.startAt);
    for (const order of [
      [made, moved, canceled],
      [canceled, moved, made],
      [moved, canceled, made],
    ])
      expect(calendarAfter(order)).toBeNull();
  });
});

/** Half an hour or two of summer, winter in the middle of summer, a clock that is never changed, a quarter of an hour. */
const STRANGE = ['Australia/Lord_Howe', 'Antarctica/Troll', 'Africa/Casablanca', 'Africa/Nairobi', 'Asia/Kathmandu'];

test('the rules of every time zone hold over both changes of the clock', () => {
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
