import { languageName } from '#contract/language-name.ts';
import { languagesByName } from '#contract/languages.ts';
import type { ComboboxOption } from '#web/ui/combobox.tsx';

const MAX_OPTIONS = 50;

export const languageOption = (tag: string): ComboboxOption => ({ value: tag, label: languageName(tag) });

/** Languages whose name contains the text, or whose tag begins with it. */
export async function searchLanguages(text: string): Promise<ComboboxOption[]> {
  const typed = text.trim().toLowerCase();
  return languagesByName()
    .filter(({ tag, name }) => name.toLowerCase().includes(typed) || tag.toLowerCase().startsWith(typed))
    .map(({ tag }) => languageOption(tag))
    .slice(0, MAX_OPTIONS);
}
