import ical, { ICalAttendeeStatus, ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import { Temporal } from 'temporal-polyfill';

/** One appointment as a calendar entry. `uid` is stable for the appointment; `sequence` increases with each change. */
export type CalendarEntry = {
  uid: string;
  sequence: number;
  method: 'REQUEST' | 'CANCEL' | 'PUBLISH';
  startAt: Date;
  endAt: Date;
  timeZone: string;
  title: string;
  description: string | null;
  link: string | null;
  /** Without a link. */
  place?: string;
  stampedAt: Date;
  organizer: { name: string; email: string } | null;
  attendee: { name: string; email: string } | null;
};

/** Returns an iTIP message (RFC 5546) with appointments and the VTIMEZONE of every zone used. */
export function calendarFile(name: string, method: CalendarEntry['method'], entries: CalendarEntry[]): string {
  const calendar = ical({
    prodId: { company: 'Carelane', product: 'Visits', language: 'EN' },
    name,
    method: ICalCalendarMethod[method],
  });
  const zones = new Map<string, { from: Date; until: Date }>();
  for (const { timeZone, startAt, endAt } of entries) {
    const cached = zones.get(timeZone);
    zones.set(timeZone, {
      from: cached && cached.from < startAt ? cached.from : startAt,
      until: cached && cached.until > endAt ? cached.until : endAt,
    });
  }
  const blockOf = (zone: string) => {
    const span = zones.get(zone);
    return span ? timeZoneBlock(zone, span.from, span.until) : null;
  };
  // No time zone for the whole file: its DTSTAMPs would be in local time, and they must be in UTC.
  calendar.timezone({ name: null, generator: blockOf });
  for (const entry of entries) {
    const at = (date: Date) =>
      Temporal.Instant.fromEpochMilliseconds(date.getTime()).toZonedDateTimeISO(entry.timeZone);
    calendar.createEvent({
      id: entry.uid,
      sequence: entry.sequence,
      stamp: entry.stampedAt,
      start: at(entry.startAt),
      end: at(entry.endAt),
      timezone: entry.timeZone,
      summary: entry.title,
      status: entry.method === 'CANCEL' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      ...(entry.description && { description: entry.description }),
      ...(entry.link && { url: entry.link, location: entry.link }),
      ...(entry.place && { location: entry.place }),
      ...(entry.organizer && { organizer: entry.organizer }),
      ...(entry.attendee && {
        attendees: [{ ...entry.attendee, rsvp: false, status: ICalAttendeeStatus.ACCEPTED }],
      }),
    });
  }
  return calendar.toString();
}

const twoDigits = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, '0');

function offset(nanoseconds: number): string {
  const seconds = Math.round(nanoseconds / 1e9);
  const rest = Math.abs(seconds) % 60;
  return `${seconds < 0 ? '-' : '+'}${twoDigits(seconds / 3600)}${twoDigits((Math.abs(seconds) / 60) % 60)}${rest ? twoDigits(rest) : ''}`;
}

const localStamp = (at: Temporal.PlainDateTime): string =>
  `${String(at.year).padStart(4, '0')}${twoDigits(at.month)}${twoDigits(at.day)}T${twoDigits(at.hour)}${twoDigits(at.minute)}${twoDigits(at.second)}`;

/** Returns the abbreviation used in calendars: EST, or GMT+5:45 for a zone without one. */
function nameOf(zone: string, at: Temporal.Instant): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short' }).formatToParts(
    new Date(at.epochMilliseconds),
  );
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** A clock change: the UTC offsets before and after, and the instant. */
type Change = { at: Temporal.Instant; before: number; after: number };

/**
 * Returns the VTIMEZONE (RFC 5545 §3.6.5) of a zone between two instants. Lists each clock change separately, which
 * stays correct when the zone's rules change.
 */
function timeZoneBlock(zone: string, from: Date, until: Date): string {
  const changes: Change[] = [];
  const begin = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(zone);
  const end = Temporal.Instant.fromEpochMilliseconds(until.getTime());
  const first = begin.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
  let next = first ?? begin.getTimeZoneTransition('next');
  while (next && (Temporal.Instant.compare(next.toInstant(), end) <= 0 || changes.length < 2)) {
    const at = next.toInstant();
    const before = at.subtract({ nanoseconds: 1 }).toZonedDateTimeISO(zone).offsetNanoseconds;
    changes.push({ at, before, after: next.offsetNanoseconds });
    next = next.getTimeZoneTransition('next');
  }
  // The zone has no clock change, or none before the first appointment.
  if (!first) {
    const fixed = begin.offsetNanoseconds;
    changes.unshift({ at: Temporal.Instant.from('1970-01-01T00:00:00Z'), before: fixed, after: fixed });
  }
  const blocks = changes.map(({ at, before, after }) => {
    const kind = after > before ? 'DAYLIGHT' : 'STANDARD';
    const began = new Temporal.PlainDateTime(1970, 1, 1).add({
      milliseconds: at.epochMilliseconds + Math.round(before / 1e6),
    });
    return [
      `BEGIN:${kind}`,
      `TZNAME:${nameOf(zone, at)}`,
      `TZOFFSETFROM:${offset(before)}`,
      `TZOFFSETTO:${offset(after)}`,
      `DTSTART:${localStamp(began)}`,
      `END:${kind}`,
    ];
  });
  return ['BEGIN:VTIMEZONE', `TZID:${zone}`, ...blocks.flat(), 'END:VTIMEZONE'].join('\r\n');
}
