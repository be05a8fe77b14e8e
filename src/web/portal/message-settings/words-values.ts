import { z } from 'zod';
import {
  type AllowedFields,
  SMALL_WORDS,
  type SmallWords,
  smallWordsFault,
  wordsFault,
} from '#contract/message-words.ts';

/** Texts of one message, validated as the server validates them. */
export const wordsValues = (allowed: AllowedFields) =>
  z.object({ subject: z.string(), body: z.string(), text: z.string() }).superRefine((words, { addIssue }) => {
    for (const part of ['subject', 'body', 'text'] as const) {
      const message = wordsFault(part, words[part], allowed);
      if (message) addIssue({ code: 'custom', path: [part], message });
    }
  });

/** The small words, validated as the server validates them. */
export const SmallWordsValues: z.ZodType<SmallWords, SmallWords> = z
  .object({ nameless: z.string(), earlier: z.string(), entry: z.string(), choices: z.string() })
  .superRefine((words, { addIssue }) => {
    for (const which of SMALL_WORDS) {
      const message = smallWordsFault(which, words[which]);
      if (message) addIssue({ code: 'custom', path: [which], message });
    }
  });
