import { z } from 'zod';
import { Instant, LocalDate } from './conventions.ts';
import type { AppointmentView, SchedulingConnection } from './scheduling.ts';

/**
 * Portal: the appointments of all calendars in a range of a few weeks. Defaults to one week from now; the end is
 * exclusive.
 */
export const ShowCalendarInput = z.strictObject({ from_date: Instant.optional(), to_date: Instant.optional() });
export type ShowCalendarInput = z.infer<typeof ShowCalendarInput>;

/** An appointment as the portal's calendar and its dialogs need it. */
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

/** A time taken by a booking of an unknown person. The name is left out: not all staff may see it. */
export type HeldTime = Pick<AppointmentView, 'id' | 'calendar_id' | 'appointment_type' | 'from_date' | 'to_date'>;

/** `more`: the list of appointments is incomplete. */
export type CalendarShown = {
  items: CalendarVisit[];
  held: HeldTime[];
  more: boolean;
  connection: SchedulingConnection;
};

/** Portal: time off between two days, both inclusive. */
export const ShowTimeOffInput = z.strictObject({ from_date: LocalDate, to_date: LocalDate });
export type ShowTimeOffInput = z.infer<typeof ShowTimeOffInput>;
/** Instants in UTC. */
export type TimeOff = { calendar_id: number; from_date: string; to_date: string };
