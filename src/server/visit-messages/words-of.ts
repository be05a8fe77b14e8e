import { languageFor } from '#contract/languages.ts';
import type { MessageSettings } from '#contract/message-settings.ts';
import {
  filled,
  type MessageField,
  type MessageKind,
  type MessageWords,
  mayStand,
  OWN_SMALL_WORDS,
  OWN_WORDS,
  type SmallWords,
} from '#contract/message-words.ts';
import type { Letterhead } from '#server/clinic/letterhead.ts';

/** What the words of a message are about. */
export type Told = {
  kind: MessageKind;
  startAt: Date;
  /** Before it was moved. */
  wasAt: Date | null;
  /** The patient's, in which times are said. */
  timeZone: string;
  /** Which the patient reads, where that is known. */
  language: string | null;
  firstName: string | null;
  link: string;
  /** Where camera and line are tried out before; null where visits take place on another's page. */
  test: string | null;
  type: string;
  practitioner: string;
};
export type Said = MessageWords & {
  /** What it is written in, dates among it. */
  language: string;
  small: SmallWords;
};
type Worded = Pick<MessageSettings, 'words' | 'small' | 'language' | 'translations'>;
type Allowed = Pick<MessageSettings, 'says_type' | 'says_practitioner'> & Worded;

/** A narrow space before AM is shown as a box by some mail programs. */
const format = (at: Date, language: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(language, options).format(at).replaceAll('\u202f', ' ');

const DAY = { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const;
const TIME = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;

/**
 * The words of one message for somebody who reads a language: in it where the clinic has them, as of `es` for who reads
 * `es-US`, or else the clinic's own. Dates follow the words, in the reader's variety of the language, so that nothing is
 * half in one and half in another.
 */
export function inLanguage(kind: MessageKind, settings: Worded, wanted: string | null) {
  const { language, words, small } = settings;
  const own = { language, words: words[kind] ?? OWN_WORDS[kind], small };
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
    small: { ...OWN_SMALL_WORDS, ...chosen.small },
    language: found ? wanted! : language,
  };
}

/** The clinic's words of a message, with what they name; what may not stand in messages is left out of them. */
export function wordsOf(
  { kind, startAt, wasAt, timeZone, language: wanted, firstName, link, test, type, practitioner }: Told,
  settings: Allowed,
  { clinic, phone }: Pick<Letterhead, 'clinic' | 'phone'>,
): Said {
  const { words, small, language } = inLanguage(kind, settings, wanted);
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
      mayStand(field as MessageField, settings) ? oneLine(value) : '',
    ]),
  );
  return {
    subject: filled(words.subject, values).trim(),
    body: filled(test === null ? withoutTest(words.body) : words.body, values).trim(),
    text: filled(words.text, values).trim(),
    language,
    small: { ...small, entry: filled(small.entry, { clinic: oneLine(clinic) }) },
  };
}

const oneLine = (value: string): string => value.replace(/\s+/g, ' ').trim();

const NAMES_TEST = /\{\s*test\s*\}/;

/** The words without the paragraph that names the page of the test, and the one that leads to it. */
const withoutTest = (body: string): string =>
  body
    .split(/\n\s*\n/)
    .filter(
      (part, at, all) =>
        !NAMES_TEST.test(part) && !(part.trimEnd().endsWith(':') && NAMES_TEST.test(all[at + 1] ?? '')),
    )
    .join('\n\n');

/** Paragraphs, with an address that stands alone as one to open. */
export const partsOf = (body: string, links: (string | null)[]): (string | { url: string })[] =>
  body
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (links.includes(part) ? { url: part } : part));
