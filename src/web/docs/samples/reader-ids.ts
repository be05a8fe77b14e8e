import { EXAMPLE } from '#contract/examples.ts';

/** Ids of the reader's sandbox, by the name of the example value that they replace. */
export type ReaderIds = Partial<Record<keyof typeof EXAMPLE, string | number>>;

const escaped = (value: string | number) => String(value).replace(/[^\w]/g, '\\$&');

/** Replaces the example ids of a sample with the reader's own. */
export function withReaderIds(sample: string, own: ReaderIds): string {
  const names = Object.keys(own) as (keyof ReaderIds)[];
  if (names.length === 0) return sample;
  const replacements = new Map(names.map((name) => [String(EXAMPLE[name]), String(own[name])]));
  // Only whole words, and no port of a URL.
  const pattern = new RegExp(`(?<![\\w:-])(?:${[...replacements.keys()].map(escaped).join('|')})(?![\\w-])`, 'g');
  return sample.replace(pattern, (exampleId) => replacements.get(exampleId) ?? exampleId);
}
