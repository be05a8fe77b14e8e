import type { Calendar } from '@event-calendar/core';
import { expect, test } from 'vitest';
import { type Grid, type GridState, updateGrid } from './update-grid.ts';

const appointment = (id: string, title = 'Ada Lovelace', hour = 9): Calendar.EventInput => ({
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
function callsOf(before: GridState, now: GridState): unknown[] {
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
  updateGrid(grid, before, now);
  return calls;
}

test('makes no call when nothing changed', () => {
  expect(callsOf(shown([appointment('a'), appointment('b')]), shown([appointment('a'), appointment('b')]))).toEqual([]);
});

test('updates only events that were added, removed or changed', () => {
  const before = shown([appointment('a'), appointment('b'), appointment('c')]);
  const changed = appointment('b', 'Ada Lovelace', 11);
  expect(callsOf(before, shown([appointment('a'), changed, appointment('d')]))).toEqual([
    ['remove', 'c'],
    ['change', changed],
    ['add', appointment('d')],
  ]);
});

test('sets options independently of events', () => {
  const events = [appointment('a')];
  expect(callsOf(shown(events), shown(events, { date: '2026-12-01', slotMaxTime: '20:00:00' }))).toEqual([
    ['set', 'date', '2026-12-01'],
    ['set', 'slotMaxTime', '20:00:00'],
  ]);
});

test('replaces all events at once for another week', () => {
  const week = (name: string) => Array.from({ length: 30 }, (_, index) => appointment(`${name}-${index}`));
  expect(callsOf(shown(week('this')), shown(week('next')))).toEqual([['set', 'events', week('next')]]);
});
