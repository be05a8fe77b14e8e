import type { StoryKind, StoryLineView } from '#contract/story.ts';
import { type Chapter, type Happening, inWords } from './chapters/chapter.ts';
import { choices } from './chapters/choices.ts';
import { messages } from './chapters/messages.ts';
import { record } from './chapters/record.ts';
import { signIn } from './chapters/sign-in.ts';
import { subscriptions } from './chapters/subscriptions.ts';
import { UNTOLD } from './chapters/untold.ts';
import { visits } from './chapters/visits.ts';

export const CHAPTERS: readonly Chapter[] = [record, signIn, visits, subscriptions, messages, choices];

/** Audit actions without a timeline line. */
export const UNTOLD_ACTIONS: readonly string[] = Object.values(UNTOLD).flat();

/** Returns the actions and events of a kind of timeline line. */
export const namesOf = (kind: StoryKind): string[] =>
  CHAPTERS.filter((chapter) => chapter.kind === kind).flatMap(({ tells }) => Object.keys(tells));

export const ALL_NAMES: readonly string[] = CHAPTERS.flatMap(({ tells }) => Object.keys(tells));

/** Actions that are less specific than their events. */
export const SAYS_LESS: readonly string[] = [
  'subscriptions.sync',
  'subscriptions.activate',
  ...['scheduled', 'rescheduled', 'canceled', 'changed'].map((topic) => `appointments.${topic}`),
];

/** Returns the name by which the text of a change is found; `NAME` in `read-changes.ts` is the same in SQL. */
export const nameOf = ({ action, event }: Pick<Happening, 'action' | 'event'>): string =>
  event === null || (!SAYS_LESS.includes(action) && ALL_NAMES.includes(action)) ? action : event;

type Told = Pick<StoryLineView, 'kind' | 'title' | 'note'>;

/** Returns the text of a change. An unknown change gets a text from its name rather than being left out. */
export function tell(happening: Happening): Told {
  const name = nameOf(happening);
  const chapter = CHAPTERS.find(({ tells }) => Object.hasOwn(tells, name));
  const words = chapter?.tells[name];
  if (!chapter || !words) return { kind: 'other', title: plainly(name), note: null };
  const said = typeof words === 'function' ? words(happening) : words;
  const { title, note = null } = typeof said === 'string' ? { title: said } : said;
  return { kind: chapter.kind, title, note };
}

/** `letters.sent_by_post` -> `Letters: sent by post` */
function plainly(name: string): string {
  const text = name.split('.').map(inWords).join(': ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
