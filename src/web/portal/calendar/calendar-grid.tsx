'use client';
import '@event-calendar/core/index.css';
import './calendar-grid.css';
import {
  type Calendar,
  createCalendar,
  DayGrid,
  destroyCalendar,
  Interaction,
  ResourceTimeGrid,
} from '@event-calendar/core';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { CalendarView } from '#contract/scheduling.ts';
import { drawnOnce } from './draw-event.ts';
import { shownHours } from './grid-events.ts';
import type { View } from './shown-days.ts';
import { type Told, tellGrid } from './tell-grid.ts';

/** Where something was dropped or pressed. */
export type Place = { calendarId: number; at: number };

type CalendarGridProps = {
  view: Exclude<View, 'list'>;
  day: string;
  calendars: CalendarView[];
  events: Calendar.EventInput[];
  onOpen: (id: string) => void;
  onPress: (place: Place) => void;
  onDrop: (id: string, to: Place) => void;
  onDay: (day: string) => void;
};

const KINDS = { day: 'resourceTimeGridDay', week: 'resourceTimeGridWeek', month: 'dayGridMonth' } as const;

/**
 * Days with a column for each practitioner, by a component that is loaded with this page alone. It stands in no frame of
 * React's: it is made once, and told what changed. What comes while somebody drags waits until they have let go.
 *
 * `@event-calendar/core` (MIT) because its resource columns are free; FullCalendar and Schedule-X charge for theirs.
 */
export function CalendarGrid(props: CalendarGridProps) {
  const frame = useRef<HTMLDivElement>(null);
  const grid = useRef<{ tell(): void } | null>(null);
  const latest = useRef(props);
  latest.current = props;

  // Before anything is painted: an empty frame would pull up what is below it, for a moment.
  useLayoutEffect(() => {
    const target = frame.current;
    if (!target) return;
    let isDragging = false;
    let told = optionsOf(latest.current);
    const made = createCalendar(target, [ResourceTimeGrid, DayGrid, Interaction], {
      ...told,
      headerToolbar: { start: '', center: '', end: '' },
      allDaySlot: false,
      datesAboveResources: true,
      dayMaxEvents: true,
      eventDurationEditable: false,
      eventStartEditable: true,
      firstDay: 0,
      height: 'auto',
      locale: 'en-US',
      nowIndicator: true,
      pointer: true,
      slotDuration: '00:30:00',
      slotEventOverlap: false,
      slotHeight: 40,
      snapDuration: '00:15:00',
      // Its class gives each element another pointer: of a full week all styles would be worked out anew as a visit is picked up.
      theme: (theme) => ({ ...theme, dragging: '' }),
      ...drawnOnce,
      dateClick: ({ date, dateStr, resource }) =>
        resource
          ? latest.current.onPress({ calendarId: Number(resource.id), at: date.getTime() })
          : latest.current.onDay(dateStr.slice(0, 10)),
      eventDragStart: () => {
        isDragging = true;
        // It would look for what is below the mouse at each move, as dragging does, and show nothing.
        made.setOption('pointer', false);
      },
      eventDragStop: () => {
        isDragging = false;
        made.setOption('pointer', true);
        // What came meanwhile; after the drop, which puts back what it moved.
        setTimeout(() => grid.current?.tell());
      },
      eventDrop: ({ event, oldEvent, newResource, revert }) => {
        // It stays where it was until the server has moved it.
        revert();
        const calendarId = Number(newResource?.id ?? oldEvent.resourceIds[0]);
        latest.current.onDrop(String(event.id), { calendarId, at: event.start.getTime() });
      },
    });
    grid.current = {
      tell() {
        if (isDragging) return;
        const before = told;
        told = optionsOf(latest.current);
        const held = target.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
        tellGrid(made, before, told);
        // A visit that has changed is drawn anew, in a moment.
        if (held) setTimeout(() => held.isConnected || visitIn(target, held.dataset.visit)?.focus());
      },
    };
    // By ourselves: the component would make the frame around each button another button.
    const open = ({ target: pressed }: MouseEvent) => {
      const visit = (pressed as Element).closest('.ec-event')?.querySelector<HTMLElement>('[data-visit]');
      if (visit?.dataset.visit) latest.current.onOpen(visit.dataset.visit);
    };
    target.addEventListener('click', open);
    plainRoles(target);
    const watching = new MutationObserver(() => !isDragging && plainRoles(target));
    watching.observe(target, { childList: true, subtree: true });
    return () => {
      watching.disconnect();
      target.removeEventListener('click', open);
      grid.current = null;
      void destroyCalendar(made);
    };
  }, []);

  const { view, day, calendars, events } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the grid shows, by which it is told anew
  useEffect(() => grid.current?.tell(), [view, day, calendars, events]);

  return <div ref={frame} className="visit-grid" data-view={view} />;
}

const visitIn = (frame: HTMLElement, id = '') =>
  [...frame.querySelectorAll<HTMLElement>('[data-visit]')].find(({ dataset }) => dataset.visit === id);

/**
 * The component calls itself a table, with cells that hold none of what is drawn over them: without those roles it is what
 * it looks like, names of days and practitioners and buttons that say all themselves. The table is the list of the day.
 */
function plainRoles(frame: HTMLElement): void {
  for (const element of frame.querySelectorAll(
    '[role=table], [role=rowgroup], [role=row], [role=columnheader], [role=rowheader], [role=cell]',
  ))
    for (const name of ['role', 'aria-colindex', 'aria-colspan', 'aria-rowindex', 'aria-rowspan'])
      element.removeAttribute(name);
  const main = frame.querySelector('.ec-main');
  // What does not fit is scrolled to by key, too.
  main?.setAttribute('tabindex', '0');
  main?.setAttribute('role', 'group');
  main?.setAttribute('aria-label', 'Days');
}

const optionsOf = ({ view, day, calendars, events }: CalendarGridProps): Told => ({
  view: KINDS[view],
  date: day,
  // A column takes so much, and what does not fit is scrolled to.
  columnWidth: view === 'month' ? 'minmax(0, 1fr)' : calendars.length > 1 ? 'minmax(8rem, 1fr)' : 'minmax(6rem, 1fr)',
  resources: calendars.map(({ id, name }) => ({ id, title: name })),
  events: view === 'month' ? events.filter(({ display }) => display !== 'background') : events,
  ...shownHours(events),
});
