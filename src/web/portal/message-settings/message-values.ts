import { z } from 'zod';
import {
  type AllowedFields,
  SNIPPET_KEYS,
  type Snippets,
  snippetError,
  templateError,
} from '#contract/message-templates.ts';

/** Texts of one message, validated as the server validates them. */
export const templateValues = (allowed: AllowedFields) =>
  z.object({ subject: z.string(), body: z.string(), text: z.string() }).superRefine((texts, { addIssue }) => {
    for (const part of ['subject', 'body', 'text'] as const) {
      const message = templateError(part, texts[part], allowed);
      if (message) addIssue({ code: 'custom', path: [part], message });
    }
  });

/** The small words, validated as the server validates them. */
export const SnippetsValues: z.ZodType<Snippets, Snippets> = z
  .object({ nameless: z.string(), earlier: z.string(), entry: z.string(), choices: z.string() })
  .superRefine((texts, { addIssue }) => {
    for (const key of SNIPPET_KEYS) {
      const message = snippetError(key, texts[key]);
      if (message) addIssue({ code: 'custom', path: [key], message });
    }
  });

/** Form values for sending; the message texts belong to another form. */
export const SendingValues = z
  .object({
    confirmation: z.boolean(),
    move: z.boolean(),
    cancellation: z.boolean(),
    reminder: z.boolean(),
    reminders: z.array(z.number()).max(5, 'Choose at most five reminders.'),
    email: z.boolean(),
    sms: z.boolean(),
    quiet: z.boolean(),
    from: z.string(),
    until: z.string(),
    says_type: z.boolean(),
    says_practitioner: z.boolean(),
    says_reason: z.boolean(),
    says_patient: z.boolean(),
    provider_mails: z.boolean(),
  })
  .superRefine((values, { addIssue }) => {
    const addError = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message });
    if (values.reminder && values.reminders.length === 0) addError('reminders', 'Choose when to remind.');
    if (values.reminder && !values.email && !values.sms)
      addError('sms', 'Choose how to remind: by email, by text or both.');
    if (values.quiet && values.from === values.until) addError('until', 'Choose another time than when they begin.');
  });
