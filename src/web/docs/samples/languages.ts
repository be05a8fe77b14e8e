/** What samples are written in; the first one until a reader has chosen. */
export const LANGUAGES = ['curl', 'typescript', 'python'] as const;
export type Language = (typeof LANGUAGES)[number];
/** Keeps a reader's choice, on these pages alone. */
export const LANGUAGE_COOKIE = 'carelane_docs_language';
export type Samples = Record<Language, string>;
