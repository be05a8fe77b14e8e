import { languageFor } from '#contract/languages.ts';
import type { MessageSettings } from '#contract/message-settings.ts';
import {
  DEFAULT_SNIPPETS,
  DEFAULT_TEMPLATES,
  fillPlaceholders,
  isFieldAllowed,
  type MessageField,
  type MessageKind,
  type MessageTemplate,
  type Snippets,
} from '#contract/message-templates.ts';
import type { EmailBranding } from '#server/clinic/email-branding.ts';

/** The data that the texts of a message refer to. */
export type MessageData = {
  kind: MessageKind;
  startAt: Date;
  /** The start before the reschedule. */
  wasAt: Date | null;
  /** The patient's time zone, in which times are written. */
  timeZone: string;
  /** The patient's language, if known. */
  language: string | null;
  firstName: string | null;
  link: string;
  /** The page where camera and connection are tested; null with an external video page. */
  test: string | null;
  type: string;
  practitioner: string;
};
export type RenderedMessage = MessageTemplate & {
  /** The language of the message, including its dates. */
  language: string;
  small: Snippets;
};
type Worded = Pick<MessageSettings, 'words' | 'small' | 'language' | 'translations'>;
type Allowed = Pick<MessageSettings, 'says_type' | 'says_practitioner'> & Worded;

/** Some mail programs show the narrow no-break space before AM as a box. */
const format = (at: Date, language: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(language, options).format(at).replaceAll('\u202f', ' ');

const DAY = { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const;
const TIME = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;

/**
 * Returns the texts of a message for a reader of a language: its translation when the tenant has one (`es` for a reader
 * of `es-US`), otherwise the tenant's own. Dates use the same language, in the reader's regional variant.
 */
export function chooseLanguage(kind: MessageKind, settings: Worded, wanted: string | null) {
  const { language, words, small } = settings;
  const own = { language, words: words[kind] ?? DEFAULT_TEMPLATES[kind], small };
  const there = settings.translations.flatMap((one) => {
    const said = one.words[kind];
    return said ? [{ ...one, words: said }] : [];
  });
  const all = [own, ...there];
  const found =
    wanted &&
    languageFor(
      wanted,
      all.map((one) => one.language),
    );
  const chosen = all.find((one) => one.language === found) ?? own;
  return {
    words: chosen.words,
    small: { ...DEFAULT_SNIPPETS, ...chosen.small },
    language: found ? wanted! : language,
  };
}

/** Returns the texts with their fields filled; fields that messages may not contain are left empty. */
export function renderMessage(
  { kind, startAt, wasAt, timeZone, language: wanted, firstName, link, test, type, practitioner }: MessageData,
  settings: Allowed,
  { clinic, phone }: Pick<EmailBranding, 'clinic' | 'phone'>,
): RenderedMessage {
  const { words, small, language } = chooseLanguage(kind, settings, wanted);
  const of = (at: Date, options: Intl.DateTimeFormatOptions) => format(at, language, { timeZone, ...options });
  const all: Record<MessageField, string> = {
    clinic,
    name: firstName?.trim() || small.nameless,
    date: of(startAt, DAY),
    time: of(startAt, TIME),
    before: wasAt ? of(wasAt, { ...DAY, ...TIME }) : small.earlier,
    link,
    test: test ?? '',
    phone: phone ?? '',
    type,
    practitioner,
  };
  const values = Object.fromEntries(
    Object.entries(all).map(([field, value]) => [
      field,
      isFieldAllowed(field as MessageField, settings) ? oneLine(value) : '',
    ]),
  );
  return {
    subject: fillPlaceholders(words.subject, values).trim(),
    body: fillPlaceholders(test === null ? withoutTest(words.body) : words.body, values).trim(),
    text: fillPlaceholders(words.text, values).trim(),
    language,
    small: { ...small, entry: fillPlaceholders(small.entry, { clinic: oneLine(clinic) }) },
  };
}

const oneLine = (value: string): string => value.replace(/\s+/g, ' ').trim();

const NAMES_TEST = /\{\s*test\s*\}/;

/** Removes the paragraph with the test link, and the paragraph that introduces it. */
const withoutTest = (body: string): string =>
  body
    .split(/\n\s*\n/)
    .filter(
      (part, at, all) =>
        !NAMES_TEST.test(part) && !(part.trimEnd().endsWith(':') && NAMES_TEST.test(all[at + 1] ?? '')),
    )
    .join('\n\n');

/** Splits a text into paragraphs; a paragraph that is one of the links becomes `{ url }`. */
export const splitParagraphs = (body: string, links: (string | null)[]): (string | { url: string })[] =>
  body
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (links.includes(part) ? { url: part } : part));
