import { z } from 'zod';
import type { WeeklyHours, Window } from './availability.ts';

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const WindowText = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d-(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'Write hours like 09:00-17:00.')
  .refine((text) => text.slice(0, 5) < text.slice(6), 'Hours must end after they begin.');

/** For example `{monday: ['09:00-12:00', '13:00-17:00']}`; an omitted day is closed. */
export const WeeklyHoursInput = z
  .strictObject(Object.fromEntries(WEEKDAYS.map((day) => [day, z.array(WindowText).optional()])))
  .transform((days): WeeklyHours => WEEKDAYS.map((day) => (days[day] ?? []).map(toWindow).sort(byStart)));

const byStart = (a: Window, b: Window) => a.startMinute - b.startMinute;

function toWindow(text: string): Window {
  const [startMinute = 0, endMinute = 0] = text.split('-').map((time) => {
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    return hour * 60 + minute;
  });
  return { startMinute, endMinute };
}
