import type { MessageSettings } from '#contract/message-settings.ts';
import {
  DEFAULT_SNIPPETS,
  DEFAULT_TEMPLATES,
  type MessageKind,
  type MessageTemplate,
  SNIPPET_KEYS,
  type Snippets,
} from '#contract/message-templates.ts';

/** A language's own part of the settings. */
const partOf = (settings: MessageSettings, language: string) =>
  language === settings.language ? settings : settings.translations.find((one) => one.language === language);

/** Texts of a message in a language; null where the clinic's own language applies. */
export function textsIn(settings: MessageSettings, language: string, kind: MessageKind): MessageTemplate | null {
  const said = partOf(settings, language)?.words[kind];
  return said ?? (language === settings.language ? DEFAULT_TEMPLATES[kind] : null);
}

export const phrasesIn = (settings: MessageSettings, language: string): Snippets => ({
  ...DEFAULT_SNIPPETS,
  ...partOf(settings, language)?.small,
});

export const isSameText = (one: MessageTemplate, other: MessageTemplate): boolean =>
  one.subject === other.subject && one.body === other.body && one.text === other.text;

type Part = Pick<MessageSettings, 'words' | 'small'>;
const changed = (settings: MessageSettings, language: string, change: (part: Part) => Part): MessageSettings =>
  language === settings.language
    ? { ...settings, ...change({ words: settings.words, small: settings.small }) }
    : {
        ...settings,
        translations: settings.translations.map((one) =>
          one.language === language ? { ...one, ...change(one) } : one,
        ),
      };

/** Settings with these texts; null removes them, so that the clinic's own texts or the defaults apply. */
export function withTexts(
  settings: MessageSettings,
  language: string,
  { kind, words }: { kind: MessageKind; words: MessageTemplate | null },
): MessageSettings {
  // Texts that equal the fallback are not stored.
  const otherwise =
    language === settings.language ? DEFAULT_TEMPLATES[kind] : textsIn(settings, settings.language, kind)!;
  const isKept = words !== null && !isSameText(words, otherwise);
  return changed(settings, language, ({ words: { [kind]: _, ...others }, small }) => ({
    words: isKept ? { ...others, [kind]: words } : others,
    small,
  }));
}

export const withPhrases = (settings: MessageSettings, language: string, small: Snippets): MessageSettings =>
  changed(settings, language, ({ words }) => ({
    words,
    small: Object.fromEntries(
      SNIPPET_KEYS.filter((which) => small[which] !== DEFAULT_SNIPPETS[which]).map((which) => [which, small[which]]),
    ),
  }));

export const withLanguage = (settings: MessageSettings, language: string): MessageSettings => ({
  ...settings,
  translations: [...settings.translations, { language, words: {}, small: {} }],
});
export const withoutLanguage = (settings: MessageSettings, language: string): MessageSettings => ({
  ...settings,
  translations: settings.translations.filter((one) => one.language !== language),
});
