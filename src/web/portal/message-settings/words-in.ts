import type { MessageSettings } from '#contract/message-settings.ts';
import {
  type MessageKind,
  type MessageWords,
  OWN_SMALL_WORDS,
  OWN_WORDS,
  SMALL_WORDS,
  type SmallWords,
} from '#contract/message-words.ts';

/** A language's own part of the settings. */
const partOf = (settings: MessageSettings, language: string) =>
  language === settings.language ? settings : settings.translations.find((one) => one.language === language);

/** Texts of a message in a language; null where the clinic's own language applies. */
export function wordsIn(settings: MessageSettings, language: string, kind: MessageKind): MessageWords | null {
  const said = partOf(settings, language)?.words[kind];
  return said ?? (language === settings.language ? OWN_WORDS[kind] : null);
}

export const smallIn = (settings: MessageSettings, language: string): SmallWords => ({
  ...OWN_SMALL_WORDS,
  ...partOf(settings, language)?.small,
});

export const isSame = (one: MessageWords, other: MessageWords): boolean =>
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
export function withWords(
  settings: MessageSettings,
  language: string,
  { kind, words }: { kind: MessageKind; words: MessageWords | null },
): MessageSettings {
  // Texts that equal the fallback are not stored.
  const otherwise = language === settings.language ? OWN_WORDS[kind] : wordsIn(settings, settings.language, kind)!;
  const isKept = words !== null && !isSame(words, otherwise);
  return changed(settings, language, ({ words: { [kind]: _, ...others }, small }) => ({
    words: isKept ? { ...others, [kind]: words } : others,
    small,
  }));
}

export const withSmall = (settings: MessageSettings, language: string, small: SmallWords): MessageSettings =>
  changed(settings, language, ({ words }) => ({
    words,
    small: Object.fromEntries(
      SMALL_WORDS.filter((which) => small[which] !== OWN_SMALL_WORDS[which]).map((which) => [which, small[which]]),
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
