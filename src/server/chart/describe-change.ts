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
  TIMELINE_SECTIONS.filter((section) => section.kind === kind).flatMap(({ texts }) => Object.keys(texts));

export const TIMELINE_NAMES: readonly string[] = TIMELINE_SECTIONS.flatMap(({ texts }) => Object.keys(texts));

/** Actions that are less specific than their events. */
export const GENERIC_ACTIONS: readonly string[] = [
  'subscriptions.sync',
  'subscriptions.activate',
  'appointments.book',
  'appointments.reschedule',
  'appointments.cancel',
  'appointments.update',
];

/** Returns the name by which the text of a change is found; `NAME` in `list-timeline.ts` is the same in SQL. */
export const nameOf = ({ action, event }: Pick<TimelineChange, 'action' | 'event'>): string =>
  event === null || (!GENERIC_ACTIONS.includes(action) && TIMELINE_NAMES.includes(action)) ? action : event;

type ChangeDescription = Pick<TimelineEntryView, 'kind' | 'title' | 'note'>;

/** Returns the text of a change. An unknown change gets a text from its name rather than being left out. */
export function describeChange(change: TimelineChange): ChangeDescription {
  const name = nameOf(change);
  const section = TIMELINE_SECTIONS.find(({ texts }) => Object.hasOwn(texts, name));
  const text = section?.texts[name as keyof TimelineSection['texts']];
  if (!section || !text) return { kind: 'other', title: titleFromName(name), note: null };
  const described = typeof text === 'function' ? text(change) : text;
  const { title, note = null } = typeof described === 'string' ? { title: described } : described;
  return { kind: section.kind, title, note };
}

/** `letters.sent_by_post` -> `Letters: sent by post` */
function titleFromName(name: string): string {
  const text = name.split('.').map(humanize).join(': ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
