import { EXAMPLE } from '#contract/examples.ts';

/** Ids of the reader's sandbox, by the name of the example value that they replace. */
export type ReaderIds = Partial<Record<keyof typeof EXAMPLE, string | number>>;

const escaped = (value: string | number) => String(value).replace(/[^\w]/g, '\\$&');

/** Replaces the example ids of a sample with the reader's own. */
export function withReaderIds(sample: string, own: ReaderIds): string {
  const names = Object.keys(own) as (keyof ReaderIds)[];
  if (names.length === 0) return sample;
  const fictional = new Map(names.map((name) => [String(EXAMPLE[name]), String(own[name])]));
  // Only whole words, and no port of a URL.
  const places = new RegExp(`(?<![\\w:-])(?:${[...fictional.keys()].map(escaped).join('|')})(?![\\w-])`, 'g');
  return sample.replace(places, (place) => fictional.get(place) ?? place);
}
