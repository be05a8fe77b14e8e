import type { TimelineEntryView, TimelineKind } from '#contract/timeline.ts';
import { appointmentsSection } from './timeline/appointments.ts';
import { choicesSection } from './timeline/choices.ts';
import { HIDDEN_ACTIONS_BY_REASON } from './timeline/hidden-actions.ts';
import { messagesSection } from './timeline/messages.ts';
import { recordSection } from './timeline/record.ts';
import { humanize, type TimelineChange, type TimelineSection } from './timeline/section.ts';
import { signInSection } from './timeline/sign-in.ts';
import { subscriptionsSection } from './timeline/subscriptions.ts';

export const TIMELINE_SECTIONS: readonly TimelineSection[] = [
  recordSection,
  signInSection,
  appointmentsSection,
  subscriptionsSection,
  messagesSection,
  choicesSection,
];

/** Audit actions without a timeline line. */
export const HIDDEN_ACTIONS: readonly string[] = Object.values(HIDDEN_ACTIONS_BY_REASON).flat();

/** Returns the actions and events of a kind of timeline line. */
export const namesOfKind = (kind: TimelineKind): string[] =>
  TIMELINE_SECTIONS.filter((chapter) => chapter.kind === kind).flatMap(({ texts: tells }) => Object.keys(tells));

export const TIMELINE_NAMES: readonly string[] = TIMELINE_SECTIONS.flatMap(({ texts: tells }) => Object.keys(tells));

/** Actions that are less specific than their events. */
export const GENERIC_ACTIONS: readonly string[] = [
  'subscriptions.sync',
  'subscriptions.activate',
  ...['scheduled', 'rescheduled', 'canceled', 'changed'].map((topic) => `appointments.${topic}`),
];

/** Returns the name by which the text of a change is found; `NAME` in `read-changes.ts` is the same in SQL. */
export const nameOf = ({ action, event }: Pick<TimelineChange, 'action' | 'event'>): string =>
  event === null || (!GENERIC_ACTIONS.includes(action) && TIMELINE_NAMES.includes(action)) ? action : event;

type Told = Pick<TimelineEntryView, 'kind' | 'title' | 'note'>;

/** Returns the text of a change. An unknown change gets a text from its name rather than being left out. */
export function describeChange(happening: TimelineChange): Told {
  const name = nameOf(happening);
  const chapter = TIMELINE_SECTIONS.find(({ texts: tells }) => Object.hasOwn(tells, name));
  const words = chapter?.texts[name];
  if (!chapter || !words) return { kind: 'other', title: plainly(name), note: null };
  const said = typeof words === 'function' ? words(happening) : words;
  const { title, note = null } = typeof said === 'string' ? { title: said } : said;
  return { kind: chapter.kind, title, note };
}

/** `letters.sent_by_post` -> `Letters: sent by post` */
function plainly(name: string): string {
  const text = name.split('.').map(humanize).join(': ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
