import type { AppointmentSummary } from '../appointments/appointment.ts';
import { type AvailableSlot, nearestSlots } from './available-slots.ts';

type Drop = { visit: AppointmentSummary; calendarId: number; at: number; now: number };
const MOST_NEARBY = 3;

/**
 * Outcome of a drop. `unknown`: availability is not loaded, or lacks slots that only the appointment itself blocks; the
 * server decides. `nearby`: the nearest slots that are offered instead. `other_practitioner`: an appointment is
 * rescheduled within its calendar only.
 */
export type DropResult =
  | { kind: 'same' | 'past' | 'other_practitioner' | 'offered' | 'unknown' }
  | { kind: 'not_offered'; nearby: AvailableSlot[] };

export function validateDrop({ visit, calendarId, at, now }: Drop, times: AvailableSlot[] | undefined): DropResult {
  if (calendarId !== visit.calendar_id) return { kind: 'other_practitioner' };
  const [from, until] = [Date.parse(visit.from_date), Date.parse(visit.to_date)];
  if (at === from) return { kind: 'same' };
  if (at <= now) return { kind: 'past' };
  if (!times) return { kind: 'unknown' };
  if (times.some((time) => time.calendarId === calendarId && time.at === at)) return { kind: 'offered' };
  const meetsItself = at < until && at + (until - from) > from;
  return meetsItself
    ? { kind: 'unknown' }
    : { kind: 'not_offered', nearby: nearestSlots(times, calendarId, at, MOST_NEARBY) };
}
