import { EXAMPLE } from '#contract/examples.ts';

/** Things of the reader's own sandbox, by the name of the fictional one that stands for them elsewhere. */
export type OwnValues = Partial<Record<keyof typeof EXAMPLE, string | number>>;

const escaped = (value: string | number) => String(value).replace(/[^\w]/g, '\\$&');

/** A sample in which the reader's own things stand for the fictional ones. */
export function withOwn(sample: string, own: OwnValues): string {
  const names = Object.keys(own) as (keyof OwnValues)[];
  if (names.length === 0) return sample;
  const fictional = new Map(names.map((name) => [String(EXAMPLE[name]), String(own[name])]));
  // A whole word, and no port of an address.
  const places = new RegExp(`(?<![\\w:-])(?:${[...fictional.keys()].map(escaped).join('|')})(?![\\w-])`, 'g');
  return sample.replace(places, (place) => fictional.get(place) ?? place);
}
