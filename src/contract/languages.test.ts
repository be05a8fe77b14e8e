import { expect, test } from 'vitest';
import { Language } from './conventions.ts';
import { canonicalLanguage, languageFor, languagesByName } from './languages.ts';

test.each([
  ['de', 'de'],
  ['DE-at', 'de-AT'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['iw', 'he'],
  ['es-419', 'es-419'],
  ['fil', 'fil'],
])('%s is parsed as %s', (tag, canonical) => {
  expect(canonicalLanguage(tag)).toBe(canonical);
  expect(Language.parse(tag)).toBe(canonical);
});

test.each([
  ...['', ' ', 'english', 'xx', 'qaa', 'und', 'mul', 'zxx', 'root', 'de_AT', 'de-', '-de', 'de-XX', 'de-ZZ', 'de-999'],
  ...['de-Abcd', 'de-u-ca-buddhist', 'de-x-private', 'x-klingon', 'i-klingon', 'en-US-posix', 'd', 'dé', 'de\u0000'],
  ...['de-AT-'.repeat(8), '*', 'de-AT ', '../en'],
])('%j is rejected', (tag) => {
  expect(canonicalLanguage(tag)).toBe(null);
  expect(Language.safeParse(tag).success).toBe(false);
});

test.each([
  ['de', ['en', 'de'], 'de'],
  ['de-AT', ['de-CH', 'de'], 'de'],
  ['de-AT', ['de', 'de-AT'], 'de-AT'],
  ['de', ['de-CH'], 'de-CH'],
  ['en-GB', ['en-US'], 'en-US'],
  // Readers of one Chinese script may not read the other.
  ['zh-TW', ['zh-Hans', 'zh-Hant'], 'zh-Hant'],
  ['zh-TW', ['zh-Hans'], null],
  ['es', ['en', 'de'], null],
  ['es', [], null],
] as const)('for %s and translations %j, chooses %s', (requested, offered, chosen) => {
  expect(languageFor(requested, [...offered])).toBe(chosen);
});

test('the languages to choose from are numerous, named and valid', () => {
  const all = languagesByName();
  expect(all.length).toBeGreaterThan(150);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(all.filter(({ tag }) => !Language.safeParse(tag).success)).toEqual([]);
});
