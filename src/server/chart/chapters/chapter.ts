import type { StoryKind } from '#contract/story.ts';

/** What the audit log says of a change. */
export type Happening = {
  action: string;
  event: string | null;
  details: Record<string, unknown>;
  /** What its event showed of the thing, and what the one before it did, as long as events are held and the lines are at hand. */
  shown?: Record<string, unknown> | undefined;
  before?: Record<string, unknown> | undefined;
};

/** In a few words, without who did it: that stands beside. */
export type Words = string | { title: string; note?: string | undefined };

/**
 * What one part of the system tells in a patient's story. A later one adds a file of its own here and names it in
 * `tell.ts`; until then what it records is told plainly, under `other`.
 */
export type Chapter = {
  kind: StoryKind;
  /** By the action of the audit log, or by the event where the action says less (`subscriptions.sync`). */
  tells: Record<string, Words | ((happening: Happening) => Words)>;
};

/** `currentPeriodEnd`, `current_period_end` -> `current period end` */
export const inWords = (name: string): string =>
  name
    .replaceAll('_', ' ')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();

/** Names of fields as a person reads them: "First name, addresses". Only names are known here, never values. */
export function fieldNames(names: unknown): string | undefined {
  const known = Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
  if (known.length === 0) return undefined;
  const text = known.map(inWords).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
