import ical, { ICalAttendeeStatus, ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import { Temporal } from 'temporal-polyfill';
import { timeZoneBlock } from './time-zone-block.ts';

/** One appointment as a calendar entry. `uid` is stable for the appointment; `sequence` increases with each change. */
export type Entry = {
  uid: string;
  sequence: number;
  method: 'REQUEST' | 'CANCEL' | 'PUBLISH';
  startAt: Date;
  endAt: Date;
  timeZone: string;
  title: string;
  words: string | null;
  link: string | null;
  stampedAt: Date;
  organizer: { name: string; email: string } | null;
  attendee: { name: string; email: string } | null;
};

/** Returns an iTIP message (RFC 5546) with appointments and the VTIMEZONE of every zone used. */
export function calendarFile(name: string, method: Entry['method'], entries: Entry[]): string {
  const calendar = ical({
    prodId: { company: 'Carelane', product: 'Visits', language: 'EN' },
    name,
    method: ICalCalendarMethod[method],
  });
  const zones = new Map<string, { from: Date; until: Date }>();
  for (const { timeZone, startAt, endAt } of entries) {
    const known = zones.get(timeZone);
    zones.set(timeZone, {
      from: known && known.from < startAt ? known.from : startAt,
      until: known && known.until > endAt ? known.until : endAt,
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
      ...(entry.words && { description: entry.words }),
      ...(entry.link && { url: entry.link, location: entry.link }),
      ...(entry.organizer && { organizer: entry.organizer }),
      ...(entry.attendee && {
        attendees: [{ ...entry.attendee, rsvp: false, status: ICalAttendeeStatus.ACCEPTED }],
      }),
    });
  }
  return calendar.toString();
}
