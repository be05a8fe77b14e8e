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
  const unchanged = before?.calendarId === remote.calendarId ? before : null;
  // For a removed calendar the provider returns the account's zone, even while the calendar is still in the catalogue.
  const hasCalendar = calendar !== undefined && remote.calendar !== '';
  const zone = hasCalendar || !unchanged ? (remote.timeZone ?? calendar?.timeZone ?? 'UTC') : unchanged.timeZone;
  return {
    status: remote.canceled ? (remote.noShow ? 'no_show' : 'canceled') : 'scheduled',
    startAt: remote.startAt,
    endAt: new Date(remote.startAt.getTime() + remote.durationMinutes * MINUTE),
    appointmentTypeId: remote.typeId,
    appointmentType: remote.type,
    calendarId: remote.calendarId,
    calendar: remote.calendar || unchanged?.calendar || 'A calendar that is gone',
    timeZone: zone,
    practitionerId: calendar?.practitionerId ?? unchanged?.practitionerId ?? null,
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
  const remoteLocation = remote.location;
  return (
    remoteLocation !== location &&
    tokenOfLink(remoteLocation, tenantId) !== null &&
    tokenOfLink(location, tenantId) !== null
  );
}

/**
 * True when an upcoming appointment that was canceled only locally, while its account was not connected, is still
 * booked at the provider: the cancellation must be repeated there.
 */
export const mustCancelAtProvider = (row: Appointment, state: Columns, now: Date): boolean =>
  row.status === 'canceled' &&
  row.canceledBecause === 'former_account' &&
  state.status === 'scheduled' &&
  state.endAt > now;

const UNCONFIRMED = ['pending', 'failed'];

/**
 * Returns the topic of the event for the difference between the row and the provider's state, or null when they agree.
 * A cancellation is never reverted, except one recorded because the appointment seemed gone.
 */
export function topicOf(row: Appointment, state: Columns): Topic | null {
  if (UNCONFIRMED.includes(row.status)) return state.status === 'scheduled' ? 'scheduled' : 'canceled';
  if (row.status !== 'scheduled') {
    if (row.canceledBecause === 'gone_at_provider' && state.status === 'scheduled') return 'scheduled';
    return row.status === 'canceled' && state.status === 'no_show' ? 'changed' : null;
  }
  if (state.status !== 'scheduled') return state.status === 'canceled' ? 'canceled' : 'changed';
  if (row.startAt.getTime() !== state.startAt.getTime() || row.calendarId !== state.calendarId) return 'rescheduled';
  const agrees =
    row.endAt.getTime() === state.endAt.getTime() &&
    row.appointmentTypeId === state.appointmentTypeId &&
    row.location === state.location;
  return agrees ? null : 'changed';
}
