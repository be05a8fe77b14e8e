import { languageName } from './language-name.ts';

const MAX_TAG_LENGTH = 35;
/** Language, script, region; other subtags of BCP 47 do not identify a translation. */
const SHAPE = /^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i;
/** Codes that do not name a single language. */
const NONE = ['und', 'mul', 'mis', 'zxx', 'root'];
const NO_REGION = 'ZZ';

const named = (type: 'language' | 'script' | 'region', code: string): boolean =>
  new Intl.DisplayNames('en', { type, fallback: 'none' }).of(code) !== undefined;

/**
 * Validates a language tag.
 * @returns the canonical tag (`de-AT`, `he` for `iw`), or null when there is no such language
 */
export function canonicalLanguage(tag: string): string | null {
  if (tag.length > MAX_TAG_LENGTH || !SHAPE.test(tag)) return null;
  const locale = new Intl.Locale(tag);
  const { language, script, region } = locale;
  if (!language || NONE.includes(language) || !named('language', language) || (script && !named('script', script)))
    return null;
  return region && (region === NO_REGION || !named('region', region)) ? null : locale.toString();
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/**
 * In addition to all two-letter codes: common three-letter languages, and regional varieties that are written
 * differently.
 */
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

/** Languages to choose from, by name; other valid tags are accepted as well. */
export const languagesByName = (): { tag: string; name: string }[] =>
  [...LETTERS.flatMap((one) => LETTERS.map((other) => one + other)), ...MORE]
    .filter((tag) => canonicalLanguage(tag) === tag)
    .map((tag) => ({ tag, name: languageName(tag) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Key of languages that share a script: equal for `de` and `de-AT`, but not for Chinese in two scripts. */
const readsAlike = (tag: string): string => {
  const { language, script } = new Intl.Locale(tag).maximize();
  return `${language}-${script}`;
};

/**
 * Chooses the translation for a patient who reads `requested`: the same language, or a variety in the same script.
 * @returns null when none is suitable
 */
export function languageFor(requested: string, offered: string[]): string | null {
  const alike = offered.filter((tag) => readsAlike(tag) === readsAlike(requested));
  // A tag without a region stands for all its varieties.
  const plain = alike.find((tag) => new Intl.Locale(tag).region === undefined);
  return alike.find((tag) => tag === requested) ?? plain ?? alike[0] ?? null;
}
