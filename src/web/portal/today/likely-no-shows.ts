import { LATE_MINUTES, MAX_ATTENDANCE_ITEMS } from '#contract/limits.ts';
import type { AttendanceView } from '#contract/visits.ts';

/** One minute longer than the server's limit, because clocks differ: a request that is too early is not repeated. */
const LATE_MS = (LATE_MINUTES + 1) * 60_000;

/**
 * Ids of appointments, given in the order of their times, that are late enough to count as missed; `now` in
 * milliseconds.
 */
export const lateAppointmentIds = (appointments: readonly { id: string; from_date: string }[], now: number): string[] =>
  appointments
    .filter(({ from_date }) => Date.parse(from_date) + LATE_MS <= now)
    .map(({ id }) => id)
    // The latest ones, about which something can still be done.
    .slice(-MAX_ATTENDANCE_ITEMS);

/** Appointments whose call clinic staff joined, and the patient never did. */
export const likelyNoShows = (attendance: readonly AttendanceView[]): Set<string> =>
  new Set(attendance.flatMap((entry) => (entry.looks_like_no_show ? [entry.appointment_id] : [])));
