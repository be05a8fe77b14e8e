import { z } from 'zod';
import { Language } from './conventions.ts';
import {
  DEFAULT_LANGUAGE,
  MESSAGE_CHANNELS,
  MESSAGE_KINDS,
  type MessageKind,
  SNIPPET_KEYS,
  type Snippets,
  snippetError,
  templateError,
} from './message-templates.ts';

const DAY_MINUTES = 1440;
/** Fourteen days. */
const MAX_BEFORE = 14 * DAY_MINUTES;
const MinuteOfDay = z
  .int()
  .min(0)
  .max(DAY_MINUTES - 1);

const Template = z.strictObject({ subject: z.string(), body: z.string(), text: z.string() });

const TemplatesByKind = z.strictObject(
  Object.fromEntries(MESSAGE_KINDS.map((kind) => [kind, Template.optional()])) as Record<
    MessageKind,
    z.ZodOptional<typeof Template>
  >,
);
/** An omitted text falls back to the default. */
const SnippetTexts = z.strictObject(
  Object.fromEntries(SNIPPET_KEYS.map((which) => [which, z.string().optional()])) as Record<
    keyof Snippets,
    z.ZodOptional<z.ZodString>
  >,
);
/** Upper limit of translations. */
const MAX_LANGUAGES = 20;

/** A clinic's settings for messages about appointments. */
export const MessageSettings = z
  .strictObject({
    /** Which kinds are sent at all. */
    sends: z.strictObject(
      Object.fromEntries(MESSAGE_KINDS.map((kind) => [kind, z.boolean()])) as Record<MessageKind, z.ZodBoolean>,
    ),
    /** Minutes before the appointment. */
    reminders: z
      .array(
        z
          .int()
          .min(10, 'Remind at least 10 minutes before the appointment.')
          .max(MAX_BEFORE, 'Remind at most 14 days before the appointment.'),
      )
      .max(5, 'At most five reminders of one appointment.')
      .transform((list) => [...new Set(list)].sort((a, b) => b - a)),
    reminder_channels: z
      .array(z.enum(MESSAGE_CHANNELS))
      .max(2)
      .transform((list) => [...new Set(list)]),
    /** Quiet hours in the patient's time zone, in minutes from midnight; from evening until morning, or null. */
    quiet: z.strictObject({ from: MinuteOfDay, until: MinuteOfDay }).nullable(),
    /** Whether messages may name the appointment type and the practitioner, which is health data. */
    says_type: z.boolean(),
    says_practitioner: z.boolean(),
    /** Whether the email about a cancellation may say the reason, where the patient may read it. */
    says_reason: z.boolean(),
    /** Whether the calendar feeds of practitioners include patient names. */
    says_patient: z.boolean(),
    /** Whether the scheduling provider sends its own emails to patients about changes made there. */
    provider_mails: z.boolean(),
    /** The clinic's own texts; an omitted text falls back to the default. */
    words: TemplatesByKind,
    small: SnippetTexts,
    /** The language of `words`; it also sets the date format. */
    language: Language,
    /** Translations, for patients who read other languages. */
    translations: z
      .array(z.strictObject({ language: Language, words: TemplatesByKind, small: SnippetTexts }))
      .max(MAX_LANGUAGES, `At most ${MAX_LANGUAGES} languages.`),
  })
  .superRefine((settings, { addIssue }) => {
    const validateTexts = (
      { words, small }: Pick<MessageTranslation, 'words' | 'small'>,
      under: (string | number)[],
    ) => {
      const addError = (path: string[], message: string | null | undefined) =>
        message && addIssue({ code: 'custom', path: [...under, ...path], message });
      for (const kind of MESSAGE_KINDS)
        for (const part of ['subject', 'body', 'text'] as const) {
          const custom = words[kind];
          addError(['words', kind, part], custom && templateError(part, custom[part], settings));
        }
      for (const which of SNIPPET_KEYS) {
        const custom = small[which];
        addError(['small', which], custom === undefined ? null : snippetError(which, custom));
      }
    };
    validateTexts(settings, []);
    const seen = new Set([settings.language]);
    for (const [place, translation] of settings.translations.entries()) {
      validateTexts(translation, ['translations', place]);
      const path = ['translations', place, 'language'];
      if (seen.has(translation.language))
        addIssue({ code: 'custom', path, message: 'Each language can be there once.' });
      seen.add(translation.language);
    }
  });
export type MessageTranslation = {
  language: string;
  words: z.infer<typeof TemplatesByKind>;
  small: z.infer<typeof SnippetTexts>;
};
export type MessageSettings = z.infer<typeof MessageSettings>;

/** Quiet hours: evening and morning in the patient's time zone. */
export const DEFAULT_SETTINGS: MessageSettings = {
  sends: { confirmation: true, move: true, cancellation: true, reminder: true },
  reminders: [DAY_MINUTES, 60],
  reminder_channels: ['email'],
  quiet: { from: 21 * 60, until: 8 * 60 },
  says_type: false,
  says_practitioner: false,
  says_reason: false,
  says_patient: false,
  provider_mails: true,
  words: {},
  small: {},
  language: DEFAULT_LANGUAGE,
  translations: [],
};

export const UpdateMessageSettingsInput = z.strictObject({ settings: MessageSettings, version: z.int().min(0) });
export type UpdateMessageSettingsInput = z.infer<typeof UpdateMessageSettingsInput>;
export const MessageTemplatesInput = z.strictObject({
  kind: z.enum(MESSAGE_KINDS),
  settings: MessageSettings,
  /** The language of the patient; the clinic's own by default. */
  language: Language.optional(),
});
export type MessageTemplatesInput = z.infer<typeof MessageTemplatesInput>;

/** The Messages page. `version` is 0 before the first change; an update with an outdated version is rejected. */
export type MessageSettingsView = { settings: MessageSettings; version: number };
export type MessagePreview = {
  subject: string;
  /** The parts of the email as they are sent, and the text message. */
  html: string;
  text: string;
  sms: string;
  /** The language of the preview: the clinic's own when there is no translation in the requested one. */
  language: string;
};

/** How email from the deployment's sender address is protected, according to DNS. */
export type MailDomainView = {
  /** Null when the address has no public domain, as in a sandbox. */
  domain: string | null;
  findings: MailFinding[];
};
export type MailFinding = {
  what: 'spf' | 'dkim' | 'dmarc';
  /** `unknown`: DNS did not respond, or the DKIM selector to look up is not known. */
  state: 'good' | 'advice' | 'wrong' | 'unknown';
  title: string;
  detail: string;
};
