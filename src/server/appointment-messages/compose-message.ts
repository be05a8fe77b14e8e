import { languageFor } from '#contract/languages.ts';
import type { MessageSettings } from '#contract/message-settings.ts';
import {
  type AllowedFields,
  DEFAULT_SNIPPETS,
  DEFAULT_TEMPLATES,
  fillPlaceholders,
  isFieldAllowed,
  type MessageField,
  type MessageKind,
  type MessageTemplate,
  placeholdersIn,
  type Snippets,
} from '#contract/message-templates.ts';
import type { Appointment, Patient } from '#generated/prisma/client.ts';
import type { EmailBranding } from '#server/clinic/index.ts';
import { type ChoicesLink, choicesLink } from '#server/consent/index.ts';
import type { Context } from '#server/core/context.ts';
import { tokenOfLink, videoTestUrl, videoUrl } from '#server/core/video-url.ts';
import { renderEmail } from '#server/messages/index.ts';
import type { Mail } from '#server/providers/mail.ts';
import { calendarFile } from './calendar-file.ts';
import { formatDate, zoneOf } from './message.ts';

export type AppointmentWithPatient = Appointment & {
  patient: Pick<Patient, 'firstName' | 'timeZone' | 'language' | 'email'>;
};
export type ComposeInput = {
  kind: MessageKind;
  sequence: number;
  /** The appointment whose calendar entry this one continues. */
  entryId?: string | null;
  appointment: AppointmentWithPatient;
  wasAt: Date | null;
  /** Of a cancellation, if the patient may read it. */
  reason: string | null;
  settings: MessageSettings;
  branding: EmailBranding;
};

const LINK = /^https?:\/\/\S+$/;

/** Where an appointment takes place if not on the video page, such as an address that staff entered at the provider. */
const placeOf = ({ location, tenantId }: Pick<Appointment, 'location' | 'tenantId'>): string | null =>
  location?.trim() && tokenOfLink(location, tenantId) === null ? location : null;

const messageData = (
  ctx: Pick<Context, 'config'>,
  { kind, appointment, wasAt, reason }: ComposeInput,
): MessageData => ({
  kind,
  startAt: appointment.startAt,
  wasAt,
  timeZone: zoneOf(appointment),
  language: appointment.patient.language,
  firstName: appointment.patient.firstName,
  link: videoUrl(ctx, appointment.videoToken),
  test: videoTestUrl(ctx, appointment.videoToken),
  place: placeOf(appointment),
  type: appointment.appointmentType,
  practitioner: appointment.calendar,
  reason,
});

/** Returns the text of an SMS, on one line. */
export const composeText = (ctx: Pick<Context, 'config'>, input: ComposeInput): string =>
  renderMessage(messageData(ctx, input), input.settings, input.branding).text;

/** Returns the language in which the message is written. */
export const languageOf = (ctx: Pick<Context, 'config'>, input: ComposeInput): string =>
  renderMessage(messageData(ctx, input), input.settings, input.branding).language;

/** Returns the UID, by which every calendar recognizes the appointment. */
export const uidOf = (appointment: Pick<Appointment, 'id'>): string => `visit-${appointment.id}@carelane`;

/** Returns the link to the patient's choices, which only reminders contain. */
export const choicesLinkFor = (
  ctx: Parameters<typeof choicesLink>[0],
  kind: MessageKind,
  patientId: string,
): ChoicesLink | null => (kind === 'reminder' ? choicesLink(ctx, patientId) : null);

/** Composes the email with the tenant's texts and the appointment as a calendar file; a reminder has no file. */
export function composeMail(
  ctx: Pick<Context, 'config' | 'clock'>,
  input: ComposeInput,
  to: string,
  choices: ChoicesLink | null,
): Omit<Mail, 'stamp'> & { html: string } {
  const { kind, branding } = input;
  const data = messageData(ctx, input);
  const message = renderMessage(data, input.settings, branding);
  const parts = [
    ...splitParagraphs(message.body, linksOf(data)),
    ...(choices ? [message.small.choices, { url: choices.page }] : []),
  ];
  const email = renderEmail(
    { subject: message.subject, parts, isToPatient: true, language: message.language },
    branding.clinic,
    branding,
  );
  return {
    ...email,
    to,
    ...(kind !== 'reminder' && { calendar: calendarEntry(ctx, input, { data, message, to }) }),
    ...(choices && {
      headers: {
        'List-Unsubscribe': `<${choices.oneClick}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    }),
  };
}

/**
 * The appointment for the reader's calendar. A message that is sent again keeps UID and SEQUENCE and has a later
 * DTSTAMP, which decides between two files of one SEQUENCE (RFC 5546, 2.1.5). A higher SEQUENCE would announce a
 * significant change (RFC 5545, 3.8.7.4).
 */
function calendarEntry(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  { kind, sequence, entryId, appointment, settings, branding }: ComposeInput,
  { data, message, to }: { data: MessageData; message: RenderedMessage; to: string },
): { method: 'REQUEST' | 'CANCEL'; content: string } {
  const method = kind === 'cancellation' ? 'CANCEL' : 'REQUEST';
  const title = settings.says_type ? `${data.type}, ${branding.clinic}` : message.small.entry;
  const content = calendarFile(branding.clinic, method, [
    {
      uid: uidOf({ id: entryId ?? appointment.id }),
      sequence,
      method,
      startAt: appointment.startAt,
      endAt: appointment.endAt,
      timeZone: data.timeZone,
      title: settings.says_practitioner ? `${title}, ${data.practitioner}` : title,
      description: null,
      ...(data.place === null ? { link: data.link } : { link: null, place: data.place }),
      stampedAt: clock.now(),
      organizer: config.mail && { name: branding.clinic, email: config.mail.from.address },
      attendee: { name: to, email: to },
    },
  ]);
  return { method, content };
}

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
  /** Where the appointment takes place; null by video. */
  place: string | null;
  type: string;
  practitioner: string;
  /** Of a cancellation, if the patient may read it. */
  reason: string | null;
};
type RenderedMessage = MessageTemplate & {
  /** The language of the message, including its dates. */
  language: string;
  small: Snippets;
};
type TenantTexts = Pick<MessageSettings, 'words' | 'small' | 'language' | 'translations'>;
type Allowed = AllowedFields & TenantTexts;

const DAY = { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const;
const TIME = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;

/**
 * Returns the texts of a message for a reader of a language: its translation when the tenant has one (`es` for a reader
 * of `es-US`), otherwise the tenant's own. Dates use the same language, in the reader's regional variant.
 */
function chooseLanguage(kind: MessageKind, settings: TenantTexts, wanted: string | null) {
  const { language, words: texts, small } = settings;
  const own = { language, words: texts[kind] ?? DEFAULT_TEMPLATES[kind], small };
  const translations = settings.translations.flatMap((one) => {
    const translated = one.words[kind];
    return translated ? [{ ...one, words: translated }] : [];
  });
  const all = [own, ...translations];
  const match =
    wanted &&
    languageFor(
      wanted,
      all.map((one) => one.language),
    );
  const chosen = all.find((one) => one.language === match) ?? own;
  return {
    words: chosen.words,
    small: { ...DEFAULT_SNIPPETS, ...chosen.small },
    language: wanted && match ? wanted : language,
  };
}

/** Returns the texts with their fields filled; fields that messages may not contain are left empty. */
export function renderMessage(
  data: MessageData,
  settings: Allowed,
  { clinic, phone }: Pick<EmailBranding, 'clinic' | 'phone'>,
): RenderedMessage {
  const { kind, startAt, wasAt, timeZone, firstName, link, test, place, type, practitioner, reason } = data;
  const { words: texts, small, language } = chooseLanguage(kind, settings, data.language);
  const of = (at: Date, options: Intl.DateTimeFormatOptions) => formatDate(at, language, { timeZone, ...options });
  const all: Record<MessageField, string> = {
    clinic,
    name: firstName?.trim() || small.nameless,
    date: of(startAt, DAY),
    time: of(startAt, TIME),
    before: wasAt ? of(wasAt, { ...DAY, ...TIME }) : small.earlier,
    link: place ?? link,
    test: (place === null && test) || '',
    phone: phone ?? '',
    type,
    practitioner,
    reason: reason ?? '',
  };
  const values = Object.fromEntries(
    Object.entries(all).map(([field, value]) => [
      field,
      isFieldAllowed(field as MessageField, settings) ? oneLine(value) : '',
    ]),
  );
  return {
    subject: fillPlaceholders(texts.subject, values).trim(),
    // "To join by video, open this page:" does not introduce an address.
    body: fillPlaceholders(withoutEmpty(texts.body, values, place === null ? [] : ['link']), values).trim(),
    text: fillPlaceholders(texts.text, place === null ? values : { ...values, link: shorten(oneLine(place)) }).trim(),
    language,
    small: { ...small, entry: fillPlaceholders(small.entry, { clinic: oneLine(clinic) }) },
  };
}

/** An address in a text message, which is paid for by length; a link is not shortened. */
const MAX_PLACE_LENGTH = 120;
const shorten = (place: string): string =>
  place.length > MAX_PLACE_LENGTH && !LINK.test(place) ? `${place.slice(0, MAX_PLACE_LENGTH - 1).trimEnd()}…` : place;

const oneLine = (value: string): string => value.replace(/\s+/g, ' ').trim();

/** Sentences and lines of a text, each with the space behind it, and the fields that it names. */
const piecesOf = (text: string): { text: string; fields: string[] }[] =>
  text.split(/(?<=[.!?]\s)|(?<=\n)/).map((piece) => ({ text: piece, fields: placeholdersIn(piece) }));

/** Fields that some messages have no value for. */
const OPTIONAL_FIELDS: readonly string[] = ['test', 'reason'] satisfies MessageField[];

/**
 * Removes each sentence or line about fields without a value, and the one without fields that introduces it: "To try it
 * out, open:". What names another field stays, because it says more. `introduced`: fields with a value whose
 * introduction does not apply.
 */
function withoutEmpty(body: string, values: Partial<Record<string, string>>, introduced: MessageField[]): string {
  const pieces = piecesOf(body);
  const isRemoved = pieces.map(
    ({ fields }) => fields.length > 0 && fields.every((field) => OPTIONAL_FIELDS.includes(field) && !values[field]),
  );
  const introduces = (at: number): boolean => {
    const { text, fields } = pieces[at]!;
    if (fields.length > 0 || !text.trimEnd().endsWith(':')) return false;
    const next = pieces.findIndex((piece, index) => index > at && piece.text.trim() !== '');
    return next > 0 && (isRemoved[next] || introduced.some((field) => pieces[next]!.fields.includes(field)));
  };
  const left = pieces.reduce((before, { text }, at) => {
    if (!isRemoved[at] && !introduces(at)) return before + text;
    return text.endsWith('\n') && !/(^|\n)$/.test(before) ? `${before.trimEnd()}\n` : before;
  }, '');
  return left.replace(/\n\s*\n\s*/g, '\n\n');
}

/** The fields that are shown as links in an email; a place may be one, such as another video page. */
const linksOf = ({ link, test, place }: MessageData): (string | null)[] => [
  place === null ? link : LINK.test(place) ? place : null,
  test,
];

/** Splits a text into paragraphs; a paragraph that is one of the links becomes `{ url }`. */
const splitParagraphs = (body: string, links: (string | null)[]): (string | { url: string })[] =>
  body
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (links.includes(part) ? { url: part } : part));
