import { MAX_NOTE_LENGTH } from '#contract/limits.ts';
import { createApiError } from '#web/ui/api-errors.ts';
import { lengthError } from '#web/ui/long-text.tsx';

const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/gu;
/** Control characters other than a tab and the end of a line, and halves of a surrogate pair. */
const NOT_STORABLE = /[^\P{Cc}\t\n]|\p{Surrogate}/gu;

/** Makes a typed or pasted text storable; each kind of line break becomes `\n`. */
export const cleanText = (text: string): string => text.replace(LINE_ENDS, '\n').replace(NOT_STORABLE, '');

/** The code of an error for a text that the server would not store; it stays in the window. */
export const TOO_LONG = 'too_long';

/**
 * The text as it is stored.
 * @throws an API error with the code `TOO_LONG`
 */
export function draftOfText(text: string): string {
  const clean = cleanText(text);
  if (clean.length <= MAX_NOTE_LENGTH) return clean;
  const error = lengthError(clean, MAX_NOTE_LENGTH);
  if (error) throw createApiError(TOO_LONG, error);
  return clean.trim();
}
