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

/** Who, when and what: the colour says nothing that the words do not. */
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
  // The day and the practitioner stand above it for whoever sees.
  const where = [DAY.format(event.start), calendar && `with ${calendar}`].filter(Boolean).join(', ');
  const parts = [line('visit-who', String(event.title)), line('visit-when', time), line('visit-what', what)];
  for (const part of [...parts, line('visit-where', where)]) button.append(part, ' ');
  return [button];
}

const isHelper = ({ display }: Calendar.Event) => display === 'preview' || display === 'pointer';
/** What the component takes for "leave what is there". */
const AS_IT_IS: Calendar.Content = { html: '' };

/**
 * Draws each visit once, as it comes to stand there. The component asks for the contents of all whenever one is picked up,
 * let go or changed: of a full week that would be a frame of its own, and take the focus from whoever goes through by key.
 */
export const drawnOnce = {
  // Not drawn, but worked out for all of them just as often.
  eventTimeFormat: () => '',
  eventContent: ({ event, view }) => (isHelper(event) || isListed(view) ? { domNodes: linesOf(event) } : AS_IT_IS),
  eventDidMount: ({ el, event }) => {
    // Its content is the button.
    el.setAttribute('role', 'none');
    if (!isHelper(event)) el.querySelector('.ec-event-body')?.replaceChildren(...linesOf(event));
  },
} satisfies Calendar.Options;

/** In the list of a month's day, the component gives a place to another visit. */
const isListed = ({ type }: Calendar.View) =>
  type === 'dayGridMonth' && document.getElementsByClassName('ec-popup').length > 0;
