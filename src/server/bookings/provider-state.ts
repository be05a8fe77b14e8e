import type { Appointment } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { ProviderAppointment } from '#server/providers/scheduling-provider.ts';
import { tokenOfLink } from './video-url.ts';

/** Topics of appointment events. */
export type Topic = 'scheduled' | 'rescheduled' | 'canceled' | 'changed';
/** The calendar data needed here. */
export type KnownCalendar = { id: number; timeZone: string; practitionerId: string | null };
type Before = Pick<Appointment, 'calendarId' | 'calendar' | 'timeZone' | 'practitionerId'>;

/**
 * Maps the provider's appointment to columns of the row. When the calendar is gone there or its practitioner has left,
 * the values of the row stay.
 */
export function columnsOf(remote: ProviderAppointment, calendars: KnownCalendar[], before: Before | null = null) {
  const calendar = calendars.find(({ id }) => id === remote.calendarId);
  const kept = before?.calendarId === remote.calendarId ? before : null;
  // For a removed calendar the provider returns the account's zone, even while the calendar is still in the catalogue.
  const isThere = calendar !== undefined && remote.calendar !== '';
  const zone = isThere || !kept ? (remote.timeZone ?? calendar?.timeZone ?? 'UTC') : kept.timeZone;
  return {
    status: remote.canceled ? (remote.noShow ? 'no_show' : 'canceled') : 'scheduled',
    startAt: remote.startAt,
    endAt: new Date(remote.startAt.getTime() + remote.durationMinutes * MINUTE),
    appointmentTypeId: remote.typeId,
    appointmentType: remote.type,
    calendarId: remote.calendarId,
    calendar: remote.calendar || kept?.calendar || 'A calendar that is gone',
    timeZone: zone,
    practitionerId: calendar?.practitionerId ?? kept?.practitionerId ?? null,
    providerAppointmentId: remote.id,
  };
}

export type Columns = ReturnType<typeof columnsOf> & { location: string | null };

export const providerStateOf = (
  remote: ProviderAppointment,
  calendars: KnownCalendar[],
  before: Appointment,
): Columns => ({
  ...columnsOf(remote, calendars, before),
  location: isStaleLink(remote, before) ? before.location : (remote.location ?? before.location),
});

type Placed = Pick<Appointment, 'tenantId' | 'location'>;

/** True when the provider has another video link than the row: the row's link was exchanged and takes precedence. */
export function isStaleLink(remote: ProviderAppointment, { tenantId, location }: Placed): boolean {
  const there = remote.location;
  return there !== location && tokenOfLink(there, tenantId) !== null && tokenOfLink(location, tenantId) !== null;
}

/**
 * True when an upcoming appointment that was canceled only locally, while its account was not connected, is still
 * booked at the provider: the cancellation must be repeated there.
 */
export const mustCancelAtProvider = (row: Appointment, said: Columns, now: Date): boolean =>
  row.status === 'canceled' &&
  row.canceledBecause === 'former_account' &&
  said.status === 'scheduled' &&
  said.endAt > now;

const WAITING = ['pending', 'failed'];

/**
 * Returns the topic of the event for the difference between the row and the provider's state, or null when they agree.
 * A cancellation is never reverted, except one recorded because the appointment seemed gone.
 */
export function topicOf(row: Appointment, said: Columns): Topic | null {
  if (WAITING.includes(row.status)) return said.status === 'scheduled' ? 'scheduled' : 'canceled';
  if (row.status !== 'scheduled') {
    if (row.canceledBecause === 'gone_at_provider' && said.status === 'scheduled') return 'scheduled';
    return row.status === 'canceled' && said.status === 'no_show' ? 'changed' : null;
  }
  if (said.status !== 'scheduled') return said.status === 'canceled' ? 'canceled' : 'changed';
  if (row.startAt.getTime() !== said.startAt.getTime() || row.calendarId !== said.calendarId) return 'rescheduled';
  const agrees =
    row.endAt.getTime() === said.endAt.getTime() &&
    row.appointmentTypeId === said.appointmentTypeId &&
    row.location === said.location;
  return agrees ? null : 'changed';
}
