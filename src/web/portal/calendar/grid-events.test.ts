import type { Calendar } from '@event-calendar/core';
import { expect, test } from 'vitest';
import type { CalendarAppointment } from '#contract/calendar.ts';
import { permissionsOf, type Role } from '#contract/roles.ts';
import { type Grid, type GridState, gridEvents, updateGrid } from './grid-events.ts';

const MINUTE = 60_000;
const at = (hour: number) => new Date(2026, 10, 24, hour).toISOString();
const appointment = (calendar_id: number) =>
  ({
    id: `appointment-${calendar_id}`,
    calendar_id,
    status: 'scheduled',
    from_date: at(9),
    to_date: at(10),
    appointment_type_id: 1,
  }) as CalendarAppointment;
const held = (calendar_id: number) => ({
  ...{ id: `held-${calendar_id}`, calendar_id, from_date: at(11), to_date: at(12), appointment_type: 'Follow-up' },
});

test('leaves out calendars that are not chosen, in every view', () => {
  const events = gridEvents({
    appointments: { items: [appointment(1), appointment(2)], held: [held(1), held(2)], more: false } as never,
    times: [1, 2].map((calendarId) => ({ calendarId, at: 0, until: MINUTE, fromDate: '' })),
    off: [1, 2].map((calendar_id) => ({ calendar_id, from_date: at(13), to_date: at(14) })) as never,
    types: [],
    hiddenCalendars: [{ id: 1 }],
    permissions: permissionsOf('admin', []),
    now: Date.parse(at(8)),
  });
  expect(events.map(({ id, resourceId }) => [String(id).split('-')[0], resourceId])).toEqual([
    ['free', 2],
    ['off', 2],
    ['appointment', 2],
    ['held', 2],
  ]);
});

test.each<[Role, object]>([
  ['practitioner', { startEditable: true, extendedProps: { hasNote: true } }],
  ['front_desk', { startEditable: true, extendedProps: { hasNote: false } }],
  ['billing', { startEditable: false, extendedProps: { hasNote: false } }],
  ['read_only', { startEditable: false, extendedProps: { hasNote: true } }],
])('lets %s drag appointments and see which have a note as far as the role allows', (role, shownTo) => {
  const [shownAppointment] = gridEvents({
    appointments: { items: [{ ...appointment(1), has_note: true }], held: [], more: false } as never,
    ...{ times: [], off: [], types: [], hiddenCalendars: [] },
    permissions: permissionsOf(role, []),
    now: Date.parse(at(8)),
  });
  expect(shownAppointment).toMatchObject(shownTo);
});

const event = (id: string, title = 'Ada Lovelace', hour = 9): Calendar.EventInput => ({
  id,
  title,
  start: new Date(2026, 10, 24, hour),
  end: new Date(2026, 10, 24, hour + 1),
});

const shown = (events: Calendar.EventInput[], more: Partial<GridState> = {}): GridState => ({
  view: 'resourceTimeGridWeek',
  date: '2026-11-24',
  columnWidth: 'minmax(8rem, 1fr)',
  resources: [{ id: 1, title: 'Grace Hopper' }],
  slotMinTime: '08:00:00',
  slotMaxTime: '18:00:00',
  events,
  ...more,
});

/** Calls that the grid receives, in order. */
function callsOf(previous: GridState, next: GridState): unknown[] {
  const calls: unknown[] = [];
  const note = (name: string) =>
    ((...values: unknown[]) => {
      calls.push([name, ...values]);
    }) as never;
  const grid: Grid = {
    setOption: note('set'),
    addEvent: note('add'),
    updateEvent: note('change'),
    removeEventById: note('remove'),
  };
  updateGrid(grid, previous, next);
  return calls;
}

test('makes no call when nothing changed', () => {
  expect(callsOf(shown([event('a'), event('b')]), shown([event('a'), event('b')]))).toEqual([]);
});

test('updates only events that were added, removed or changed, while most stay', () => {
  const kept = ['k', 'l', 'm', 'n'].map((name) => event(name));
  const changed = event('b', 'Ada Lovelace', 11);
  const previous = shown([...kept, event('b'), event('c')]);
  expect(callsOf(previous, shown([...kept, changed, event('d')]))).toEqual([
    ['remove', 'c'],
    ['change', changed],
    ['add', event('d')],
  ]);
});

test('sets options independently of events', () => {
  const events = [event('a')];
  expect(callsOf(shown(events), shown(events, { date: '2026-12-01', slotMaxTime: '20:00:00' }))).toEqual([
    ['set', 'date', '2026-12-01'],
    ['set', 'slotMaxTime', '20:00:00'],
  ]);
});

test('replaces all events at once for another week', () => {
  const week = (name: string) => Array.from({ length: 30 }, (_, index) => event(`${name}-${index}`));
  expect(callsOf(shown(week('this')), shown(week('next')))).toEqual([['set', 'events', week('next')]]);
});
