const MOST_TAG = 35;
/** Language, script, region; what else a tag may carry tells of no words that somebody could write. */
const SHAPE = /^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i;
/** Names for what is no language, and for none in particular. */
const NONE = ['und', 'mul', 'mis', 'zxx', 'root'];
const NO_REGION = 'ZZ';

const named = (type: 'language' | 'script' | 'region', code: string): boolean =>
  new Intl.DisplayNames('en', { type, fallback: 'none' }).of(code) !== undefined;

/** @returns the tag as it is written in the end (`de-AT`, `he` for `iw`), or null where there is no such language */
export function canonicalLanguage(tag: string): string | null {
  if (tag.length > MOST_TAG || !SHAPE.test(tag)) return null;
  const locale = new Intl.Locale(tag);
  const { language, script, region } = locale;
  if (!language || NONE.includes(language) || !named('language', language) || (script && !named('script', script)))
    return null;
  return region && (region === NO_REGION || !named('region', region)) ? null : locale.toString();
}

/** "Austrian German", for people who read English. */
export const languageName = (tag: string): string => new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/** Beside all that have two letters: those of three that are spoken in many waiting rooms, and varieties that are written apart. */
const MORE = [
  'fil',
  'hmn',
  'haw',
  'yue',
  'en-GB',
  'es-US',
  'es-MX',
  'es-ES',
  'fr-CA',
  'pt-BR',
  'pt-PT',
  'de-AT',
  'de-CH',
  'zh-Hans',
  'zh-Hant',
  'sr-Latn',
];

/** Languages to choose from, by name; any other tag is taken as well. */
export const languagesByName = (): { tag: string; name: string }[] =>
  [...LETTERS.flatMap((one) => LETTERS.map((other) => one + other)), ...MORE]
    .filter((tag) => canonicalLanguage(tag) === tag)
    .map((tag) => ({ tag, name: languageName(tag) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** What is read by who reads the other: `de` and `de-AT`, but not Chinese in two scripts. */
const readsAlike = (tag: string): string => {
  const { language, script } = new Intl.Locale(tag).maximize();
  return `${language}-${script}`;
};

/**
 * Of languages in which there are words, the one for somebody who reads `wanted`: the same, or else one that is written
 * alike. Null where there is none.
 */
export function languageFor(wanted: string, offered: string[]): string | null {
  const alike = offered.filter((tag) => readsAlike(tag) === readsAlike(wanted));
  // A language by itself stands for all its varieties.
  const plain = alike.find((tag) => new Intl.Locale(tag).region === undefined);
  return alike.find((tag) => tag === wanted) ?? plain ?? alike[0] ?? null;
}
