import { z } from 'zod';
import { Instant, LocalDate } from './conventions.ts';
import type { AppointmentView, SchedulingConnection } from './scheduling.ts';

/**
 * Portal: the appointments of all calendars in a range of a few weeks. Defaults to one week from now; the end is
 * exclusive.
 */
export const GetCalendarInput = z.strictObject({ from_date: Instant.optional(), to_date: Instant.optional() });
export type GetCalendarInput = z.infer<typeof GetCalendarInput>;

/** An appointment as the portal's calendar and its dialogs need it. */
export type CalendarAppointment = Pick<
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
  | 'checked_in_at'
  | 'completed_at'
  | 'canceled_at'
  | 'scheduling_issue'
> & { patient_name: string; patient_birth_date: string | null; has_note: boolean };

/** A slot taken by an unmatched appointment. The name is left out: not all staff may see it. */
export type HeldSlot = Pick<AppointmentView, 'id' | 'calendar_id' | 'appointment_type' | 'from_date' | 'to_date'>;

/** `more`: the list of appointments is incomplete. */
export type CalendarPageView = {
  items: CalendarAppointment[];
  held: HeldSlot[];
  more: boolean;
  connection: SchedulingConnection;
};

/** Portal: time off between two days, both inclusive. */
export const ListTimeOffInput = z.strictObject({ from_date: LocalDate, to_date: LocalDate });
export type ListTimeOffInput = z.infer<typeof ListTimeOffInput>;
/** Instants in UTC. */
export type TimeOff = { calendar_id: number; from_date: string; to_date: string };

/** The token in the URL of a calendar feed (iCalendar). */
export const GetCalendarFeedInput = z.strictObject({ token: z.string().max(200) });
export type GetCalendarFeedInput = z.infer<typeof GetCalendarFeedInput>;

/** When the staff user's calendar feed was created; null without a feed. */
export type CalendarFeedView = { made_at: string | null };
/** `url` is returned only once. */
export type CreatedCalendarFeed = { url: string; made_at: string };
