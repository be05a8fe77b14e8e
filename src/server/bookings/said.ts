import type { Appointment } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { ProviderAppointment } from '#server/providers/scheduling-provider.ts';
import { tokenOfLink } from './video-url.ts';

/** What can happen to an appointment. */
export type Topic = 'scheduled' | 'rescheduled' | 'canceled' | 'changed';
/** What has to be known of a calendar. */
export type KnownCalendar = { id: number; timeZone: string; practitionerId: string | null };
type Before = Pick<Appointment, 'calendarId' | 'calendar' | 'timeZone' | 'practitionerId'>;

/**
 * The provider's appointment in our row's terms. Of a calendar that is gone there, or whose practitioner has left, what
 * the row says already stays.
 */
export function columnsOf(remote: ProviderAppointment, calendars: KnownCalendar[], before: Before | null = null) {
  const calendar = calendars.find(({ id }) => id === remote.calendarId);
  const kept = before?.calendarId === remote.calendarId ? before : null;
  // Of a calendar that is gone, the provider tells the account's zone, also while we know it still.
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

export const saidOf = (remote: ProviderAppointment, calendars: KnownCalendar[], before: Appointment): Columns => ({
  ...columnsOf(remote, calendars, before),
  location: isStaleLink(remote, before) ? before.location : (remote.location ?? before.location),
});

type Placed = Pick<Appointment, 'tenantId' | 'location'>;

/** Whether the provider has another link to the visit than we: ours was exchanged for a new one, and is what counts. */
export function isStaleLink(remote: ProviderAppointment, { tenantId, location }: Placed): boolean {
  const there = remote.location;
  return there !== location && tokenOfLink(there, tenantId) !== null && tokenOfLink(location, tenantId) !== null;
}

/**
 * Whether the provider still expects the patient of a visit to come that was canceled here alone, while its account was
 * not connected: that decision stands, and is carried out there.
 */
export const isToCancelThere = (row: Appointment, said: Columns, now: Date): boolean =>
  row.status === 'canceled' &&
  row.canceledBecause === 'former_account' &&
  said.status === 'scheduled' &&
  said.endAt > now;

const WAITING = ['pending', 'failed'];

/**
 * The event that leads from our row to what the provider says, or null when they agree. A cancellation is never undone,
 * but of what was only taken for gone.
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
