import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '#contract/message-settings.ts';
import { DEFAULT_SNIPPETS, DEFAULT_TEMPLATES } from '#contract/message-templates.ts';
import { snippetsIn, templateIn, withLanguage, withoutLanguage, withSnippets, withTemplate } from './templates.ts';

const GERMAN = { subject: 'Ihr Besuch', body: 'Am {date}', text: '{date}' };
const both = withLanguage(DEFAULT_SETTINGS, 'de');

test('returns null for an added language without texts, and stores none that equal the fallback', () => {
  expect(templateIn(both, 'de', 'move')).toBe(null);
  expect(templateIn(both, 'en-US', 'move')).toEqual(DEFAULT_TEMPLATES.move);
  const written = withTemplate(both, 'de', { kind: 'move', template: GERMAN });
  expect([templateIn(written, 'de', 'move'), templateIn(written, 'de', 'reminder')]).toEqual([GERMAN, null]);
  expect(templateIn(written, 'en-US', 'move')).toEqual(DEFAULT_TEMPLATES.move);
  expect(withTemplate(written, 'de', { kind: 'move', template: DEFAULT_TEMPLATES.move })).toEqual(both);
  expect(withTemplate(written, 'de', { kind: 'move', template: null })).toEqual(both);
  expect(withoutLanguage(written, 'de')).toEqual(DEFAULT_SETTINGS);
});

test('stores the clinic’s own texts only where they differ from the defaults', () => {
  const own = withTemplate(both, 'en-US', { kind: 'move', template: GERMAN });
  expect([own.words, own.translations]).toEqual([{ move: GERMAN }, both.translations]);
  expect(withTemplate(own, 'en-US', { kind: 'move', template: DEFAULT_TEMPLATES.move })).toEqual(both);
  // A translation that equals the clinic's own text is not stored.
  expect(withTemplate(own, 'de', { kind: 'move', template: GERMAN })).toEqual(own);
});

test('stores only the small words that were changed', () => {
  const changed = withSnippets(both, 'de', { ...DEFAULT_SNIPPETS, nameless: 'Sie' });
  expect(changed.translations).toEqual([{ language: 'de', words: {}, small: { nameless: 'Sie' } }]);
  expect(snippetsIn(changed, 'de')).toEqual({ ...DEFAULT_SNIPPETS, nameless: 'Sie' });
  expect(snippetsIn(changed, 'en-US')).toEqual(DEFAULT_SNIPPETS);
  expect(withSnippets(changed, 'de', DEFAULT_SNIPPETS)).toEqual(both);
});
