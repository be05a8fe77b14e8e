const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/gu;
/** Control characters other than a tab and the end of a line, and halves of a surrogate pair. */
const NOT_STORABLE = /[^\P{Cc}\t\n]|\p{Surrogate}/gu;

/** Makes a typed or pasted text storable; each kind of line break becomes `\n`. */
export const cleanText = (text: string): string => text.replace(LINE_ENDS, '\n').replace(NOT_STORABLE, '');
