import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import { OWN_SMALL_WORDS, OWN_WORDS } from '#contract/message-words.ts';
import { smallIn, withLanguage, withoutLanguage, withSmall, withWords, wordsIn } from './words-in.ts';

const GERMAN = { subject: 'Ihr Besuch', body: 'Am {date}', text: '{date}' };
const both = withLanguage(DEFAULT_SETTINGS, 'de');

test('returns null for an added language without texts, and stores none that equal the fallback', () => {
  expect(wordsIn(both, 'de', 'move')).toBe(null);
  expect(wordsIn(both, 'en-US', 'move')).toEqual(OWN_WORDS.move);
  const written = withWords(both, 'de', { kind: 'move', words: GERMAN });
  expect([wordsIn(written, 'de', 'move'), wordsIn(written, 'de', 'reminder')]).toEqual([GERMAN, null]);
  expect(wordsIn(written, 'en-US', 'move')).toEqual(OWN_WORDS.move);
  expect(withWords(written, 'de', { kind: 'move', words: OWN_WORDS.move })).toEqual(both);
  expect(withWords(written, 'de', { kind: 'move', words: null })).toEqual(both);
  expect(withoutLanguage(written, 'de')).toEqual(DEFAULT_SETTINGS);
});

test('stores the clinic’s own texts only where they differ from the defaults', () => {
  const own = withWords(both, 'en-US', { kind: 'move', words: GERMAN });
  expect([own.words, own.translations]).toEqual([{ move: GERMAN }, both.translations]);
  expect(withWords(own, 'en-US', { kind: 'move', words: OWN_WORDS.move })).toEqual(both);
  // A translation that equals the clinic's own text is not stored.
  expect(withWords(own, 'de', { kind: 'move', words: GERMAN })).toEqual(own);
});

test('stores only the small words that were changed', () => {
  const changed = withSmall(both, 'de', { ...OWN_SMALL_WORDS, nameless: 'Sie' });
  expect(changed.translations).toEqual([{ language: 'de', words: {}, small: { nameless: 'Sie' } }]);
  expect(smallIn(changed, 'de')).toEqual({ ...OWN_SMALL_WORDS, nameless: 'Sie' });
  expect(smallIn(changed, 'en-US')).toEqual(OWN_SMALL_WORDS);
  expect(withSmall(changed, 'de', OWN_SMALL_WORDS)).toEqual(both);
});
