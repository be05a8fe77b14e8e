import type { Calendar } from '@event-calendar/core';
import type { CalendarAppointment, CalendarPageView, TimeOff } from '#contract/calendar.ts';
import type { Permission } from '#contract/roles.ts';
import type { AppointmentTypeView, CalendarView } from '#contract/scheduling.ts';
import { allowedActions, phaseOf } from '../appointments/appointment.ts';
import { type AvailableSlot, mergeSlots } from './available-slots.ts';

type GridContent = {
  appointments: CalendarPageView | undefined;
  times: AvailableSlot[] | undefined;
  off: TimeOff[] | undefined;
  types: AppointmentTypeView[] | undefined;
  /** Calendars that are not chosen. A month has no columns and would show their events as well. */
  hiddenCalendars: Pick<CalendarView, 'id'>[];
  permissions: readonly Permission[];
  now: number;
};

/** Events of the grid, in the component's format. */
export function gridEvents({
  appointments,
  times = [],
  off = [],
  types,
  hiddenCalendars,
  permissions,
  now,
}: GridContent): Calendar.EventInput[] {
  const hidden = new Set(hiddenCalendars.map(({ id }) => id));
  const all = [
    ...mergeSlots(times).map(
      ({ calendarId, from, until }): Calendar.EventInput => ({
        id: `free-${calendarId}-${from}`,
        resourceId: calendarId,
        start: new Date(from),
        end: new Date(until),
        display: 'background',
        className: 'is-free',
      }),
    ),
    ...off.map(
      ({ calendar_id, from_date, to_date }, index): Calendar.EventInput => ({
        // Two entries may have the same times.
        id: `off-${index}`,
        resourceId: calendar_id,
        start: new Date(from_date),
        end: new Date(to_date),
        display: 'background',
        className: 'is-off',
        title: 'Time off',
        allDay: false,
      }),
    ),
    ...(appointments?.items ?? []).map((appointment) => appointmentEvent(appointment, { types, permissions, now })),
    ...(appointments?.held ?? []).map(
      (held): Calendar.EventInput => ({
        id: held.id,
        resourceId: held.calendar_id,
        start: new Date(held.from_date),
        end: new Date(held.to_date),
        className: 'is-held',
        startEditable: false,
        allDay: false,
        title: 'Booking to match',
        extendedProps: { type: held.appointment_type },
      }),
    ),
  ];
  return all.filter(({ resourceId }) => !hidden.has(Number(resourceId)));
}

function appointmentEvent(
  appointment: CalendarAppointment,
  { types, permissions, now }: Pick<GridContent, 'types' | 'permissions' | 'now'>,
): Calendar.EventInput {
  const phase = phaseOf(appointment, now);
  return {
    id: appointment.id,
    resourceId: appointment.calendar_id,
    start: new Date(appointment.from_date),
    end: new Date(appointment.to_date),
    allDay: false,
    title: appointment.patient_name,
    startEditable: allowedActions(appointment, now, permissions).includes('move') && !appointment.scheduling_issue,
    className: [
      toneOf(appointment.appointment_type_id, types),
      ...(phase === 'ahead' || phase === 'running' ? [] : ['is-over']),
    ],
    extendedProps: {
      type: appointment.appointment_type,
      noShow: appointment.status === 'no_show',
      hasNote: appointment.has_note && permissions.includes('notes:read'),
      calendar: appointment.calendar,
    },
  };
}

const OPENS_AT = 8;
const CLOSES_AT = 18;

/**
 * Range of hours to display (`HH:00:00`): at least a usual working day, extended by appointments and slots, not by time
 * off.
 */
export function shownHours(events: Calendar.EventInput[]): { slotMinTime: string; slotMaxTime: string } {
  let [first, last] = [OPENS_AT, CLOSES_AT];
  for (const { start, end, className } of events) {
    if (className === 'is-off' || !(start instanceof Date) || !(end instanceof Date)) continue;
    first = Math.min(first, start.getHours());
    const isNextDay = end.toDateString() !== start.toDateString();
    last = Math.max(last, isNextDay ? 24 : end.getHours() + (end.getMinutes() > 0 ? 1 : 0));
  }
  const hour = (value: number) => `${String(value).padStart(2, '0')}:00:00`;
  return { slotMinTime: hour(first), slotMaxTime: hour(last) };
}

const TONES = 8;

/** CSS class for the color of an appointment type: distinct, in list order, as long as there are enough colors. */
export function toneOf(typeId: number, types: Pick<AppointmentTypeView, 'id'>[] = []): string {
  const place = types.findIndex(({ id }) => id === typeId);
  return `tone-${(place < 0 ? typeId : place) % TONES}`;
}

const UPDATED_OPTIONS = ['view', 'date', 'columnWidth', 'resources', 'slotMinTime', 'slotMaxTime'] as const;
export type GridState = Required<Pick<Calendar.Options, (typeof UPDATED_OPTIONS)[number]>> & {
  events: Calendar.EventInput[];
};
export type Grid = Pick<Calendar, 'setOption' | 'addEvent' | 'updateEvent' | 'removeEventById'>;

const serialize = (value: unknown) => JSON.stringify(value);

/** Applies only what changed since the last update. Unchanged elements stay in the DOM and keep keyboard focus. */
export function updateGrid(grid: Grid, previous: GridState, now: GridState): void {
  for (const name of UPDATED_OPTIONS)
    if (serialize(previous[name]) !== serialize(now[name])) grid.setOption(name, now[name]);
  const removed = new Map(previous.events.map((event) => [event.id, serialize(event)]));
  const added: Calendar.EventInput[] = [];
  const changed: Calendar.EventInput[] = [];
  for (const event of now.events) {
    const serialized = removed.get(event.id);
    removed.delete(event.id);
    if (serialized === undefined) added.push(event);
    else if (serialized !== serialize(event)) changed.push(event);
  }
  const keptCount = now.events.length - added.length - changed.length;
  // Replacing all events renders all of them again, also those that stay.
  if (removed.size + added.length + changed.length > keptCount) grid.setOption('events', now.events);
  else {
    for (const id of removed.keys()) grid.removeEventById(String(id));
    for (const event of changed) grid.updateEvent(event);
    for (const event of added) grid.addEvent(event);
  }
}
