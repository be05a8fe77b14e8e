import type { Calendar } from '@event-calendar/core';

const TOLD = ['view', 'date', 'columnWidth', 'resources', 'slotMinTime', 'slotMaxTime'] as const;
export type GridState = Required<Pick<Calendar.Options, (typeof TOLD)[number]>> & { events: Calendar.EventInput[] };
export type Grid = Pick<Calendar, 'setOption' | 'addEvent' | 'updateEvent' | 'removeEventById'>;

/** Above this number of changes, replacing all events is faster. */
const MOST_ONE_BY_ONE = 20;

const wordsOf = (value: unknown) => JSON.stringify(value);

/** Applies only what changed since the last update. Unchanged elements stay in the DOM and keep keyboard focus. */
export function updateGrid(grid: Grid, before: GridState, now: GridState): void {
  for (const name of TOLD) if (wordsOf(before[name]) !== wordsOf(now[name])) grid.setOption(name, now[name]);
  const gone = new Map(before.events.map((event) => [event.id, wordsOf(event)]));
  const added: Calendar.EventInput[] = [];
  const changed: Calendar.EventInput[] = [];
  for (const event of now.events) {
    const words = gone.get(event.id);
    gone.delete(event.id);
    if (words === undefined) added.push(event);
    else if (words !== wordsOf(event)) changed.push(event);
  }
  if (gone.size + added.length + changed.length > MOST_ONE_BY_ONE) grid.setOption('events', now.events);
  else {
    for (const id of gone.keys()) grid.removeEventById(String(id));
    for (const event of changed) grid.updateEvent(event);
    for (const event of added) grid.addEvent(event);
  }
}
