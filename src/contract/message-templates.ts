import { SCHEDULING_PROVIDER } from './scheduling-provider.ts';

/** Messages about an appointment, in order of its life cycle. */
export const MESSAGE_KINDS = ['confirmation', 'move', 'cancellation', 'reminder'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];
export const MESSAGE_CHANNELS = ['email', 'sms'] as const;
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number];

/**
 * Placeholders in texts, as `{clinic}`. Those that reveal health data are only allowed when the clinic permits them.
 */
export const MESSAGE_FIELDS = [
  'clinic',
  'name',
  'date',
  'time',
  'before',
  'link',
  'test',
  'phone',
  'type',
  'practitioner',
  'reason',
] as const;
export type MessageField = (typeof MESSAGE_FIELDS)[number];

export const FIELD_LABELS: Record<MessageField, string> = {
  clinic: 'The clinic’s name',
  name: 'The patient’s first name, or “there”',
  date: 'The day of the appointment, in the patient’s time zone',
  time: 'When it begins, in the patient’s time zone',
  before: 'When it was before it was moved',
  link: 'The page of the video visit, or where an appointment elsewhere takes place',
  test: 'The page to test camera and connection beforehand; empty for an appointment elsewhere',
  phone: 'The clinic’s phone number',
  type: 'What kind of appointment it is',
  practitioner: 'The name of the practitioner',
  reason: 'Why it was canceled. The paragraph is left out unless staff tell the patient, and emails may say the reason',
};

/** The texts of one message: email and text message. */
export type MessageTemplate = { subject: string; body: string; text: string };

/** In characters. A text message beyond 320 is charged as three. */
export const MAX_TEMPLATE_LENGTHS = { subject: 150, body: 10_000, text: 320 } as const;

/** The default texts, for messages that a clinic has not customised. */
export const DEFAULT_TEMPLATES: Record<MessageKind, MessageTemplate> = {
  confirmation: {
    subject: '{clinic}: your appointment on {date}',
    body: 'Hello {name},\n\nYour appointment is booked for {date} at {time}.\n\nTo join by video, open this page at that time:\n\n{link}\n\nTo check your camera, microphone and connection beforehand, open this page:\n\n{test}\n\nThe attached file adds the appointment to your calendar. If you cannot come, please tell us as early as you can.',
    text: '{clinic}: appointment booked for {date} at {time}. {link}',
  },
  move: {
    subject: '{clinic}: your appointment has moved to {date}',
    body: 'Hello {name},\n\nYour appointment has moved. It is now on {date} at {time}; before, it was {before}.\n\nTo join by video, open this page at that time:\n\n{link}\n\nThe attached file moves the appointment in your calendar.',
    text: '{clinic}: appointment moved to {date} at {time}. {link}',
  },
  cancellation: {
    subject: '{clinic}: your appointment on {date} is canceled',
    body: 'Hello {name},\n\nYour appointment on {date} at {time} is canceled. The attached file removes it from your calendar.\n\nThe reason: {reason}',
    text: '{clinic}: your appointment on {date} at {time} is canceled.',
  },
  reminder: {
    subject: '{clinic}: reminder of your appointment on {date}',
    body: 'Hello {name},\n\nThis is a reminder of your appointment on {date} at {time}.\n\nTo join by video, open this page at that time:\n\n{link}\n\nTo check your camera, microphone and connection beforehand, open this page:\n\n{test}\n\nIf you cannot come, please tell us as early as you can.',
    text: '{clinic}: appointment reminder for {date} at {time}. {link}',
  },
};

/** Short texts around each message, in the same language. */
export const SNIPPET_KEYS = ['nameless', 'earlier', 'entry', 'choices'] as const;
export type Snippets = Record<(typeof SNIPPET_KEYS)[number], string>;
export const DEFAULT_SNIPPETS: Snippets = {
  nameless: 'there',
  earlier: 'another time',
  entry: 'Appointment at {clinic}',
  choices: 'To choose which messages you get, open this page:',
};
export const MAX_SNIPPET_LENGTH = 150;
/** The language of the default texts. */
export const DEFAULT_LANGUAGE = 'en-US';

const FIELD = /\{([^{}]*)\}/g;

/** Returns the names of all placeholders, known or not. */
export const placeholdersIn = (text: string): string[] => [...text.matchAll(FIELD)].map(([, name = '']) => name.trim());

/** Replaces each placeholder by its value; unknown ones stay unchanged. */
export const fillPlaceholders = (text: string, values: Partial<Record<string, string>>): string =>
  text.replace(FIELD, (match, name: string) => values[name.trim()] ?? match);

export type AllowedFields = { says_type: boolean; says_practitioner: boolean; says_reason: boolean };
const SETTING_OF_FIELD: Partial<Record<MessageField, keyof AllowedFields>> = {
  type: 'says_type',
  practitioner: 'says_practitioner',
  reason: 'says_reason',
};
export function isFieldAllowed(field: MessageField, allowed: AllowedFields): boolean {
  const setting = SETTING_OF_FIELD[field];
  return setting === undefined || allowed[setting];
}

/**
 * Validates a short text.
 * @returns the error message, or null
 */
export function snippetError(which: keyof Snippets, text: string): string | null {
  if (text.trim() === '') return 'Write some words.';
  if (text.length > MAX_SNIPPET_LENGTH) return `Use at most ${MAX_SNIPPET_LENGTH} letters.`;
  if (/<[a-z!/]|[\r\n]/i.test(text)) return 'Write plain words in one line, without HTML.';
  const known = which === 'entry' ? ['clinic'] : [];
  const unknown = placeholdersIn(text).find((name) => !known.includes(name));
  return unknown === undefined ? null : `The field {${unknown.slice(0, 40)}} cannot stand here.`;
}

/**
 * Validates a text of a message.
 * @returns the error message, or null
 */
export function templateError(part: keyof MessageTemplate, text: string, allowed: AllowedFields): string | null {
  const limit = MAX_TEMPLATE_LENGTHS[part];
  if (text.trim() === '') return 'Write some words, or go back to those that were there at first.';
  if (text.length > limit)
    return `Use at most ${limit.toLocaleString('en-US')} letters; these are ${text.length.toLocaleString('en-US')}.`;
  if (/<[a-z!/]/i.test(text)) return 'Write plain words without HTML: headings, links and the logo are added for you.';
  if (part === 'subject' && /[\r\n]/.test(text)) return 'Write the subject in one line.';
  for (const name of placeholdersIn(text)) {
    const field = MESSAGE_FIELDS.find((known) => known === name);
    if (!field)
      return `There is no field {${name.slice(0, 40)}}. Fields are ${MESSAGE_FIELDS.map((known) => `{${known}}`).join(', ')}.`;
    // Subjects and text messages show on locked screens.
    if (field === 'reason' && part !== 'body')
      return 'The field {reason} can stand in the email only, not in its subject or in a text.';
    // The paragraph with the reason is left out where it may not be said.
    if (field !== 'reason' && !isFieldAllowed(field, allowed))
      return `The field {${field}} says something about the patient’s health. Allow it first under “What messages may tell”, or leave it out.`;
  }
  return null;
}

/** Why a message was not sent: the API's code, and the text for users. */
export const UNSENT_REASONS = {
  off: 'The clinic does not send this message',
  there: `${SCHEDULING_PROVIDER.name} notifies the patient itself`,
  no_address: 'The patient’s record has no email address or phone number for it',
  not_in_care: 'The patient is archived',
  overtaken: 'The appointment changed again before it was sent',
  rebooked: 'The same time was booked again before it was sent',
  moved: 'The appointment was moved',
  canceled: 'The appointment was canceled',
  over: 'The appointment had begun before it could be sent',
  quiet: 'There was no time for it outside the quiet hours',
  replaced: 'A later reminder was due too, and only that one was sent',
  staff: 'Staff chose not to send it',
  stopped: 'The patient answered STOP',
  unsubscribed: 'The patient wants no reminders',
  bounced: 'An earlier message to this address could not be delivered',
  complained: 'The patient reported an earlier email as unwanted',
  refused: 'The receiving server refused it',
  not_set_up: 'Nothing can be sent from here yet',
  away: 'The sending service could not be reached, despite several attempts',
  unreachable: 'The phone could not be reached',
  blocked_there: 'The phone or its carrier blocks such messages',
  no_number: 'There is no such number any more',
  takes_no_texts: 'The number takes no text messages',
  filtered: 'The carrier took it for unwanted and blocked it',
  undelivered: 'The carrier did not deliver it, and does not say why',
  unknown: 'Sending was interrupted: it is not known whether it arrived',
} as const;
export type UnsentReason = keyof typeof UNSENT_REASONS;
