import { canonicalLanguage, languageFor } from '#contract/languages.ts';
import { ENGLISH } from './english.ts';
import type { PatientWords } from './patient-words.ts';
import { SPANISH } from './spanish.ts';

/** Each is a file of its own; all that is sent is in it, or it does not compile. */
const ALL: PatientWords[] = [ENGLISH, SPANISH];
const OWN_VARIETY = 'en-US';

/** Whose words they are, and in which variety of the language dates are written. */
export type Spoken = { words: PatientWords; language: string };

/** The words for somebody who reads one of these languages, the first that there are words in; else English. */
export function wordsIn(wanted: (string | null)[]): Spoken {
  for (const tag of wanted) {
    // No code stays away for the sake of a tag that is none.
    const language = tag && canonicalLanguage(tag);
    const found =
      language &&
      languageFor(
        language,
        ALL.map((one) => one.language),
      );
    const words = ALL.find((one) => one.language === found);
    if (language && words) return { words, language };
  }
  return { words: ENGLISH, language: OWN_VARIETY };
}
