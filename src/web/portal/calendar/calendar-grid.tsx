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
import { type GridState, shownHours, updateGrid } from './grid-events.ts';
import type { View } from './shown-days.ts';

/** Calendar and time of a drop or click. */
export type GridPosition = { calendarId: number; at: number };

type CalendarGridProps = {
  view: Exclude<View, 'list'>;
  day: string;
  calendars: CalendarView[];
  events: Calendar.EventInput[];
  onOpen: (id: string) => void;
  /** Books a pressed time; absent where nothing can be booked. */
  onPress?: ((position: GridPosition) => void) | undefined;
  onDrop: (id: string, position: GridPosition) => void;
  onDay: (day: string) => void;
};

const VIEW_NAMES = { day: 'resourceTimeGridDay', week: 'resourceTimeGridWeek', month: 'dayGridMonth' } as const;

/**
 * Days with a column for each practitioner. The component is loaded on this page only and lives outside React: it is
 * created once and receives changes as options. Changes that arrive during a drag are applied after the drop.
 *
 * Uses `@event-calendar/core` (MIT) because its resource columns are free; FullCalendar and Schedule-X charge for
 * theirs.
 */
export function CalendarGrid(props: CalendarGridProps) {
  const frame = useRef<HTMLDivElement>(null);
  const grid = useRef<{ update(): void } | null>(null);
  const latest = useRef(props);
  latest.current = props;

  // Created before the first paint: an empty frame would shift the content below it.
  useLayoutEffect(() => {
    const target = frame.current;
    if (!target) return;
    let isDragging = false;
    let state = optionsOf(latest.current);
    const calendar = createCalendar(target, [ResourceTimeGrid, DayGrid, Interaction], {
      ...state,
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
      pointer: Boolean(latest.current.onPress),
      slotDuration: '00:30:00',
      slotEventOverlap: false,
      slotHeight: 40,
      snapDuration: '00:15:00',
      // The class sets a cursor on every element, which would recalculate all styles of a full week when a drag starts.
      theme: (theme) => ({ ...theme, dragging: '' }),
      ...renderOnce,
      // The component reads `innerText`, which would lay out the whole page each time that events change.
      resourceLabelDidMount: ({ el }) =>
        Object.defineProperty(el, 'innerText', {
          get: () => el.textContent,
          set: (text: string) => {
            el.textContent = text;
          },
        }),
      dateClick: ({ date, dateStr, resource }) =>
        resource
          ? latest.current.onPress?.({ calendarId: Number(resource.id), at: date.getTime() })
          : latest.current.onDay(dateStr.slice(0, 10)),
      eventDragStart: () => {
        isDragging = true;
        // The pointer would look up the element under the mouse at each move, as dragging does, and show nothing.
        calendar.setOption('pointer', false);
      },
      eventDragStop: () => {
        isDragging = false;
        calendar.setOption('pointer', Boolean(latest.current.onPress));
        // Applies changes that arrived during the drag, once the drop has put back the moved event.
        setTimeout(() => grid.current?.update());
      },
      eventDrop: ({ event, oldEvent, newResource, revert }) => {
        // The appointment stays in its place until the server has rescheduled it.
        revert();
        const calendarId = Number(newResource?.id ?? oldEvent.resourceIds[0]);
        latest.current.onDrop(String(event.id), { calendarId, at: event.start.getTime() });
      },
    });
    grid.current = {
      update() {
        if (isDragging) return;
        const previous = state;
        state = optionsOf(latest.current);
        const focused = target.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
        updateGrid(calendar, previous, state);
        // A changed appointment is rendered again asynchronously; focus is restored after that.
        if (focused) setTimeout(() => focused.isConnected || findAppointment(target, focused.dataset.visit)?.focus());
      },
    };
    // Own click listener: the component's would turn the frame around each button into another button.
    const open = ({ target: clicked }: MouseEvent) => {
      const button = (clicked as Element).closest('.ec-event')?.querySelector<HTMLElement>('[data-visit]');
      if (button?.dataset.visit) latest.current.onOpen(button.dataset.visit);
    };
    target.addEventListener('click', open);
    plainRoles(target);
    const observer = new MutationObserver(() => !isDragging && plainRoles(target));
    observer.observe(target, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      target.removeEventListener('click', open);
      grid.current = null;
      void destroyCalendar(calendar);
    };
  }, []);

  const { view, day, calendars, events } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the grid is updated when one of these values changes
  useEffect(() => grid.current?.update(), [view, day, calendars, events]);

  return <div ref={frame} className="visit-grid" data-view={view} />;
}

const findAppointment = (frame: HTMLElement, id = '') =>
  [...frame.querySelectorAll<HTMLElement>('[data-visit]')].find(({ dataset }) => dataset.visit === id);

/**
 * Removes the component's table roles, since its cells do not contain the events drawn over them. What remains are
 * headings and buttons with complete labels. The accessible table is the list of the day.
 */
function plainRoles(frame: HTMLElement): void {
  for (const element of frame.querySelectorAll(
    '[role=table], [role=rowgroup], [role=row], [role=columnheader], [role=rowheader], [role=cell]',
  ))
    for (const name of ['role', 'aria-colindex', 'aria-colspan', 'aria-rowindex', 'aria-rowspan'])
      element.removeAttribute(name);
  const main = frame.querySelector('.ec-main');
  // Makes overflowing content scrollable by keyboard.
  main?.setAttribute('tabindex', '0');
  main?.setAttribute('role', 'group');
  main?.setAttribute('aria-label', 'Days');
}

const optionsOf = ({ view, day, calendars, events }: CalendarGridProps): GridState => ({
  view: VIEW_NAMES[view],
  date: day,
  // Minimum width of a column; columns that do not fit are scrolled to.
  columnWidth: view === 'month' ? 'minmax(0, 1fr)' : calendars.length > 1 ? 'minmax(8rem, 1fr)' : 'minmax(6rem, 1fr)',
  resources: calendars.map(({ id, name }) => ({ id, title: name })),
  events: view === 'month' ? events.filter(({ display }) => display !== 'background') : events,
  ...shownHours(events),
});

const TIME = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-US', { weekday: 'short', month: 'short', day: 'numeric' });

type EventDetails = { type?: string; noShow?: boolean; hasNote?: boolean; calendar?: string };

function line(name: string, text: string): HTMLElement {
  const element = document.createElement('span');
  element.className = name;
  element.textContent = text;
  return element;
}

/** Patient, time and type as text: the color carries no information of its own. */
function linesOf(event: Calendar.Event): HTMLElement[] {
  if (event.display === 'pointer') return [];
  if (event.display === 'background') return typeof event.title === 'string' ? [line('visit-off', event.title)] : [];
  const { type, noShow, hasNote, calendar } = event.extendedProps as EventDetails;
  const details = [type, noShow && 'did not come', hasNote && 'with a note'].filter(Boolean).join(', ');
  const button = document.createElement(event.display === 'auto' ? 'button' : 'span');
  button.className = 'visit-press';
  if (button instanceof HTMLButtonElement) button.type = 'button';
  button.dataset.visit = String(event.id);
  const time = TIME.format(event.start).replaceAll('\u202f', ' ');
  // Day and practitioner for screen readers; sighted users see them in the headings.
  const where = [DAY.format(event.start), calendar && `with ${calendar}`].filter(Boolean).join(', ');
  const parts = [line('visit-who', String(event.title)), line('visit-when', time), line('visit-what', details)];
  for (const part of [...parts, line('visit-where', where)]) button.append(part, ' ');
  return [button];
}

const isHelper = ({ display }: Calendar.Event) => display === 'preview' || display === 'pointer';
/** Content for which the component leaves the element unchanged. */
const UNCHANGED_CONTENT: Calendar.Content = { html: '' };

/**
 * Renders each event once, when it is mounted. The component requests the content of all events whenever one is picked
 * up, dropped or changed; to render them again takes a whole frame in a full week, and loses keyboard focus.
 */
export const renderOnce = {
  // Not displayed, but otherwise formatted for every event just as often.
  eventTimeFormat: () => '',
  eventContent: ({ event, view }) =>
    isHelper(event) || isListed(view) ? { domNodes: linesOf(event) } : UNCHANGED_CONTENT,
  eventDidMount: ({ el, event }) => {
    // The button inside is the accessible element.
    el.setAttribute('role', 'none');
    if (!isHelper(event)) el.querySelector('.ec-event-body')?.replaceChildren(...linesOf(event));
  },
} satisfies Calendar.Options;

/** In the popup with the events of a month's day, the component reuses elements for other events. */
const isListed = ({ type }: Calendar.View) =>
  type === 'dayGridMonth' && document.getElementsByClassName('ec-popup').length > 0;
