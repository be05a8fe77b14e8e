import { canonicalLanguage, languageFor } from '#contract/languages.ts';
import { ENGLISH } from './english.ts';
import type { PatientTemplates } from './patient-templates.ts';
import { SPANISH } from './spanish.ts';

/** Each language has its own file; a missing message is a type error. */
const ALL_TEMPLATES: PatientTemplates[] = [ENGLISH, SPANISH];
const DEFAULT_LANGUAGE = 'en-US';

/** The messages of one language, and the regional variant for dates. */
export type LocalizedTemplates = { templates: PatientTemplates; language: string };

/** Returns the messages in the first of these languages that is supported; else English. */
export function findTemplates(languages: (string | null)[]): LocalizedTemplates {
  for (const tag of languages) {
    // An invalid tag must not prevent a message.
    const language = tag && canonicalLanguage(tag);
    const match =
      language &&
      languageFor(
        language,
        ALL_TEMPLATES.map((one) => one.language),
      );
    const templates = ALL_TEMPLATES.find((one) => one.language === match);
    if (language && templates) return { templates, language };
  }
  return { templates: ENGLISH, language: DEFAULT_LANGUAGE };
}
