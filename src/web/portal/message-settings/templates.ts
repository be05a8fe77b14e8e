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
  language === settings.language
    ? settings
    : settings.translations.find((translation) => translation.language === language);

/** Texts of a message in a language; null where the clinic's own language applies. */
export function templateIn(settings: MessageSettings, language: string, kind: MessageKind): MessageTemplate | null {
  const template = partOf(settings, language)?.words[kind];
  return template ?? (language === settings.language ? DEFAULT_TEMPLATES[kind] : null);
}

/** Texts that apply where a language has none: the defaults, or for a translation the clinic's own. */
export const fallbackTemplate = (settings: MessageSettings, language: string, kind: MessageKind): MessageTemplate =>
  (language === settings.language ? undefined : settings.words[kind]) ?? DEFAULT_TEMPLATES[kind];

export const snippetsIn = (settings: MessageSettings, language: string): Snippets => ({
  ...DEFAULT_SNIPPETS,
  ...partOf(settings, language)?.small,
});

export const isSameTemplate = (a: MessageTemplate, b: MessageTemplate): boolean =>
  a.subject === b.subject && a.body === b.body && a.text === b.text;

type Part = Pick<MessageSettings, 'words' | 'small'>;
const changed = (settings: MessageSettings, language: string, change: (part: Part) => Part): MessageSettings =>
  language === settings.language
    ? { ...settings, ...change({ words: settings.words, small: settings.small }) }
    : {
        ...settings,
        translations: settings.translations.map((translation) =>
          translation.language === language ? { ...translation, ...change(translation) } : translation,
        ),
      };

/** Settings with these texts; null removes them, so that the clinic's own texts or the defaults apply. */
export function withTemplate(
  settings: MessageSettings,
  language: string,
  { kind, template }: { kind: MessageKind; template: MessageTemplate | null },
): MessageSettings {
  // Texts that equal the fallback are not stored.
  const fallback = fallbackTemplate(settings, language, kind);
  const isStored = template !== null && !isSameTemplate(template, fallback);
  return changed(settings, language, ({ words: { [kind]: _, ...others }, small }) => ({
    words: isStored ? { ...others, [kind]: template } : others,
    small,
  }));
}

export const withSnippets = (settings: MessageSettings, language: string, small: Snippets): MessageSettings =>
  changed(settings, language, ({ words }) => ({
    words,
    small: Object.fromEntries(
      SNIPPET_KEYS.filter((key) => small[key] !== DEFAULT_SNIPPETS[key]).map((key) => [key, small[key]]),
    ),
  }));

export const withLanguage = (settings: MessageSettings, language: string): MessageSettings => ({
  ...settings,
  translations: [...settings.translations, { language, words: {}, small: {} }],
});
export const withoutLanguage = (settings: MessageSettings, language: string): MessageSettings => ({
  ...settings,
  translations: settings.translations.filter((translation) => translation.language !== language),
});
