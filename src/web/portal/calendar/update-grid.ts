import type { Calendar } from '@event-calendar/core';

const OPTIONS = ['view', 'date', 'columnWidth', 'resources', 'slotMinTime', 'slotMaxTime'] as const;
export type GridState = Required<Pick<Calendar.Options, (typeof OPTIONS)[number]>> & { events: Calendar.EventInput[] };
export type Grid = Pick<Calendar, 'setOption' | 'addEvent' | 'updateEvent' | 'removeEventById'>;

/** Above this number of changes, replacing all events is faster. */
const MAX_SINGLE_UPDATES = 20;

const serialize = (value: unknown) => JSON.stringify(value);

/** Applies only what changed since the last update. Unchanged elements stay in the DOM and keep keyboard focus. */
export function updateGrid(grid: Grid, before: GridState, now: GridState): void {
  for (const name of OPTIONS) if (serialize(before[name]) !== serialize(now[name])) grid.setOption(name, now[name]);
  const removed = new Map(before.events.map((event) => [event.id, serialize(event)]));
  const added: Calendar.EventInput[] = [];
  const changed: Calendar.EventInput[] = [];
  for (const event of now.events) {
    const serialized = removed.get(event.id);
    removed.delete(event.id);
    if (serialized === undefined) added.push(event);
    else if (serialized !== serialize(event)) changed.push(event);
  }
  if (removed.size + added.length + changed.length > MAX_SINGLE_UPDATES) grid.setOption('events', now.events);
  else {
    for (const id of removed.keys()) grid.removeEventById(String(id));
    for (const event of changed) grid.updateEvent(event);
    for (const event of added) grid.addEvent(event);
  }
}
