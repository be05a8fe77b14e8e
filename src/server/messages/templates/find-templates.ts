import { canonicalLanguage, languageFor } from '#contract/languages.ts';
import { ENGLISH } from './english.ts';
import type { PatientTemplates } from './patient-templates.ts';
import { SPANISH } from './spanish.ts';

/** Each language has its own file; a missing message is a type error. */
const ALL: PatientTemplates[] = [ENGLISH, SPANISH];
const OWN_VARIETY = 'en-US';

/** The messages of one language, and the regional variant for dates. */
export type LocalizedTemplates = { templates: PatientTemplates; language: string };

/** Returns the messages in the first of these languages that is supported; else English. */
export function findTemplates(wanted: (string | null)[]): LocalizedTemplates {
  for (const tag of wanted) {
    // An invalid tag must not prevent a message.
    const language = tag && canonicalLanguage(tag);
    const found =
      language &&
      languageFor(
        language,
        ALL.map((one) => one.language),
      );
    const words = ALL.find((one) => one.language === found);
    if (language && words) return { templates: words, language };
  }
  return { templates: ENGLISH, language: OWN_VARIETY };
}
