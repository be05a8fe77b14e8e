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
  z.object({ subject: z.string(), body: z.string(), text: z.string() }).superRefine((words, { addIssue }) => {
    for (const part of ['subject', 'body', 'text'] as const) {
      const message = templateError(part, words[part], allowed);
      if (message) addIssue({ code: 'custom', path: [part], message });
    }
  });

/** The small words, validated as the server validates them. */
export const SnippetsValues: z.ZodType<Snippets, Snippets> = z
  .object({ nameless: z.string(), earlier: z.string(), entry: z.string(), choices: z.string() })
  .superRefine((words, { addIssue }) => {
    for (const which of SNIPPET_KEYS) {
      const message = snippetError(which, words[which]);
      if (message) addIssue({ code: 'custom', path: [which], message });
    }
  });
