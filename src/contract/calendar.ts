import { z } from 'zod';
import { Instant, LocalDate } from './conventions.ts';
import type { AppointmentView, SchedulingConnection } from './scheduling.ts';

/** Portal: the visits of a few weeks at most, of all calendars. From now on and for a week unless said; the end is not included. */
export const ShowCalendarInput = z.strictObject({ from_date: Instant.optional(), to_date: Instant.optional() });
export type ShowCalendarInput = z.infer<typeof ShowCalendarInput>;

/** A visit as the portal's calendar draws it, with what its dialogs need. */
export type CalendarVisit = Pick<
  AppointmentView,
  | 'id'
  | 'patient_id'
  | 'appointment_type_id'
  | 'appointment_type'
  | 'calendar_id'
  | 'calendar'
  | 'practitioner_id'
  | 'from_date'
  | 'to_date'
  | 'duration_minutes'
  | 'time_zone'
  | 'video_call_url'
  | 'status'
  | 'scheduling_issue'
> & { patient_name: string; has_note: boolean };

/** A time that is taken by a booking of nobody known here: no name leaves, for not all staff may see it. */
export type HeldTime = Pick<AppointmentView, 'id' | 'calendar_id' | 'appointment_type' | 'from_date' | 'to_date'>;

/** `more`: not all visits of these days are among them. */
export type CalendarShown = {
  items: CalendarVisit[];
  held: HeldTime[];
  more: boolean;
  connection: SchedulingConnection;
};

/** Portal: time off between two days, both included. */
export const ShowTimeOffInput = z.strictObject({ from_date: LocalDate, to_date: LocalDate });
export type ShowTimeOffInput = z.infer<typeof ShowTimeOffInput>;
/** Instants in UTC. */
export type TimeOff = { calendar_id: number; from_date: string; to_date: string };
