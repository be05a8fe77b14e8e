import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import { DEFAULT_SNIPPETS, DEFAULT_TEMPLATES } from '#contract/message-templates.ts';
import { phrasesIn, textsIn, withLanguage, withoutLanguage, withPhrases, withTexts } from './message-texts.ts';

const GERMAN = { subject: 'Ihr Besuch', body: 'Am {date}', text: '{date}' };
const both = withLanguage(DEFAULT_SETTINGS, 'de');

test('returns null for an added language without texts, and stores none that equal the fallback', () => {
  expect(textsIn(both, 'de', 'move')).toBe(null);
  expect(textsIn(both, 'en-US', 'move')).toEqual(DEFAULT_TEMPLATES.move);
  const written = withTexts(both, 'de', { kind: 'move', words: GERMAN });
  expect([textsIn(written, 'de', 'move'), textsIn(written, 'de', 'reminder')]).toEqual([GERMAN, null]);
  expect(textsIn(written, 'en-US', 'move')).toEqual(DEFAULT_TEMPLATES.move);
  expect(withTexts(written, 'de', { kind: 'move', words: DEFAULT_TEMPLATES.move })).toEqual(both);
  expect(withTexts(written, 'de', { kind: 'move', words: null })).toEqual(both);
  expect(withoutLanguage(written, 'de')).toEqual(DEFAULT_SETTINGS);
});

test('stores the clinic’s own texts only where they differ from the defaults', () => {
  const own = withTexts(both, 'en-US', { kind: 'move', words: GERMAN });
  expect([own.words, own.translations]).toEqual([{ move: GERMAN }, both.translations]);
  expect(withTexts(own, 'en-US', { kind: 'move', words: DEFAULT_TEMPLATES.move })).toEqual(both);
  // A translation that equals the clinic's own text is not stored.
  expect(withTexts(own, 'de', { kind: 'move', words: GERMAN })).toEqual(own);
});

test('stores only the small words that were changed', () => {
  const changed = withPhrases(both, 'de', { ...DEFAULT_SNIPPETS, nameless: 'Sie' });
  expect(changed.translations).toEqual([{ language: 'de', words: {}, small: { nameless: 'Sie' } }]);
  expect(phrasesIn(changed, 'de')).toEqual({ ...DEFAULT_SNIPPETS, nameless: 'Sie' });
  expect(phrasesIn(changed, 'en-US')).toEqual(DEFAULT_SNIPPETS);
  expect(withPhrases(changed, 'de', DEFAULT_SNIPPETS)).toEqual(both);
});
