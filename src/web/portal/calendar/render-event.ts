import type { Calendar } from '@event-calendar/core';

const TIME = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-US', { weekday: 'short', month: 'short', day: 'numeric' });

type Drawn = { type?: string; noShow?: boolean; hasNote?: boolean; calendar?: string };

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
  const { type, noShow, hasNote, calendar } = event.extendedProps as Drawn;
  const what = [type, noShow && 'did not come', hasNote && 'with a note'].filter(Boolean).join(', ');
  const button = document.createElement(event.display === 'auto' ? 'button' : 'span');
  button.className = 'visit-press';
  if (button instanceof HTMLButtonElement) button.type = 'button';
  button.dataset.visit = String(event.id);
  const time = TIME.format(event.start).replaceAll('\u202f', ' ');
  // Day and practitioner for screen readers; sighted users see them in the headings.
  const where = [DAY.format(event.start), calendar && `with ${calendar}`].filter(Boolean).join(', ');
  const parts = [line('visit-who', String(event.title)), line('visit-when', time), line('visit-what', what)];
  for (const part of [...parts, line('visit-where', where)]) button.append(part, ' ');
  return [button];
}

const isHelper = ({ display }: Calendar.Event) => display === 'preview' || display === 'pointer';
/** Content for which the component leaves the element unchanged. */
const AS_IT_IS: Calendar.Content = { html: '' };

/**
 * Renders each event once, when it is mounted. The component requests the content of all events whenever one is picked
 * up, dropped or changed; to render them again takes a whole frame in a full week, and loses keyboard focus.
 */
export const renderOnce = {
  // Not displayed, but otherwise formatted for every event just as often.
  eventTimeFormat: () => '',
  eventContent: ({ event, view }) => (isHelper(event) || isListed(view) ? { domNodes: linesOf(event) } : AS_IT_IS),
  eventDidMount: ({ el, event }) => {
    // The button inside is the accessible element.
    el.setAttribute('role', 'none');
    if (!isHelper(event)) el.querySelector('.ec-event-body')?.replaceChildren(...linesOf(event));
  },
} satisfies Calendar.Options;

/** In the popup with the events of a month's day, the component reuses elements for other events. */
const isListed = ({ type }: Calendar.View) =>
  type === 'dayGridMonth' && document.getElementsByClassName('ec-popup').length > 0;
