/** The languages of the samples; the first one is the default. */
export const LANGUAGES = ['curl', 'typescript', 'python'] as const;
export type Language = (typeof LANGUAGES)[number];
/** Stores the reader's choice for the docs pages. */
export const LANGUAGE_COOKIE = 'carelane_docs_language';
export type Samples = Record<Language, string>;
