import { ATTENDANCE_AT_ONCE, LATE_MINUTES } from '#contract/visit-attendance.ts';
import type { AttendanceView } from '#contract/visits.ts';

/** A minute after the service thinks so, for clocks differ: what was asked too early is not asked again by itself. */
const LATE_MS = (LATE_MINUTES + 1) * 60_000;

/** Of visits in the order of their times, those late enough that somebody missing is missed; `now` in milliseconds. */
export const idsOfLate = (visits: readonly { id: string; from_date: string }[], now: number): string[] =>
  visits
    .filter(({ from_date }) => Date.parse(from_date) + LATE_MS <= now)
    .map(({ id }) => id)
    // What was just begun is what somebody may still do something about.
    .slice(-ATTENDANCE_AT_ONCE);

/** Visits in whose calls somebody of the clinic was, and the patient never. */
export const neverCame = (attendance: readonly AttendanceView[]): Set<string> =>
  new Set(attendance.flatMap((one) => (one.looks_like_no_show ? [one.appointment_id] : [])));
