import type { Appointment } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import { LOCATION } from '#server/integrations/location-field.ts';
import type { AcuityAppointment } from '#server/providers/acuity.ts';
import type { Calendar } from '../catalogue/catalogue.ts';

/** What the Location question of an appointment says, or null. */
export const locationOf = (remote: AcuityAppointment): string | null =>
  remote.answers.find(({ form, question }) => form === LOCATION && question === LOCATION)?.value || null;

/** Acuity's appointment in our row's terms. */
export function whatAcuitySays(remote: AcuityAppointment, calendars: Calendar[]) {
  const calendar = calendars.find(({ id }) => id === remote.calendarId);
  return {
    status: remote.canceled ? (remote.noShow ? 'no_show' : 'canceled') : 'scheduled',
    startAt: remote.startAt,
    endAt: new Date(remote.startAt.getTime() + remote.durationMinutes * MINUTE),
    appointmentTypeId: remote.typeId,
    appointmentType: remote.type,
    calendarId: remote.calendarId,
    calendar: remote.calendar,
    timeZone: remote.timeZone ?? calendar?.timeZone ?? 'UTC',
    practitionerId: calendar?.practitionerId ?? null,
    providerAppointmentId: remote.id,
  };
}

/** Our row in Acuity's terms, for one that Acuity has lost: as if it had been canceled there. */
export const asCanceled = (row: Appointment): AcuityAppointment => ({
  id: row.providerAppointmentId!,
  email: null,
  startAt: row.startAt,
  durationMinutes: (row.endAt.getTime() - row.startAt.getTime()) / MINUTE,
  typeId: row.appointmentTypeId,
  type: row.appointmentType,
  calendarId: row.calendarId,
  calendar: row.calendar,
  timeZone: row.timeZone,
  canceled: true,
  noShow: false,
  answers: [],
});

export type WhatAcuitySays = ReturnType<typeof whatAcuitySays> & { location: string | null };
export type Topic = 'scheduled' | 'rescheduled' | 'canceled' | 'changed';

const WAITING = ['pending', 'failed'];

/** The event that leads from our row to what Acuity says, or null when they agree. A cancellation is never undone. */
export function topicOf(row: Appointment, said: WhatAcuitySays): Topic | null {
  if (WAITING.includes(row.status)) return said.status === 'scheduled' ? 'scheduled' : 'canceled';
  if (row.status !== 'scheduled') return row.status === 'canceled' && said.status === 'no_show' ? 'changed' : null;
  if (said.status !== 'scheduled') return said.status === 'canceled' ? 'canceled' : 'changed';
  if (row.startAt.getTime() !== said.startAt.getTime() || row.calendarId !== said.calendarId) return 'rescheduled';
  const agrees =
    row.endAt.getTime() === said.endAt.getTime() &&
    row.appointmentTypeId === said.appointmentTypeId &&
    row.location === said.location;
  return agrees ? null : 'changed';
}
