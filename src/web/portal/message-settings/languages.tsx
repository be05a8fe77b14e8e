'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { languageName } from '#contract/languages.ts';
import type { MessageSettingsView } from '#contract/message-settings.ts';
import { Button } from '#web/ui/button.tsx';
import { Combobox } from '#web/ui/combobox.tsx';
import { Field } from '#web/ui/field.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { languageOption, searchLanguages } from '../clinic/language-options.ts';
import { useKeepSettings, useSaveSettings } from './use-save-settings.ts';
import { withLanguage, withoutLanguage } from './words-in.ts';

const ConfirmDialog = dynamic(() => import('#web/ui/confirm-dialog.tsx').then((module) => module.ConfirmDialog), {
  ssr: false,
});

type LanguagesProps = { kept: MessageSettingsView; language: string; onChange: (language: string) => void };

/** Manages the languages of messages, and selects the one that is edited below. */
export function Languages({ kept, language, onChange }: LanguagesProps) {
  const { settings } = kept;
  const save = useSaveSettings(kept);
  const keep = useKeepSettings(kept);
  const [removing, setRemoving] = useState<string | null>(null);
  const isOwn = language === settings.language;
  const tags = [settings.language, ...settings.translations.map((one) => one.language)];
  const options = tags.map((value) => ({
    value,
    label: value === settings.language ? `${languageName(value)} (your own words)` : languageName(value),
  }));
  const add = (tag: string) =>
    tags.includes(tag)
      ? onChange(tag)
      : save.mutate(
          { settings: withLanguage(settings, tag), done: `${languageName(tag)} added` },
          { onSuccess: () => onChange(tag) },
        );
  return (
    <div className="mb-5 grid grid-cols-1 gap-4 md:grid-cols-3">
      <Field label="Language of the words">
        <PlainSelect options={options} value={language} onValueChange={onChange} />
      </Field>
      <Field label="Add a language" hint="Patients who read it get your words in it.">
        <Combobox
          value={null}
          onChange={(option) => option && add(option.value)}
          search={searchLanguages}
          placeholder="Type a language"
        />
      </Field>
      {isOwn ? (
        <Field label="Your own words are in" hint="Everybody else gets these. Dates are written in it, too.">
          <Combobox
            value={languageOption(settings.language)}
            onChange={(option) =>
              option &&
              save.mutate(
                { settings: { ...settings, language: option.value }, done: 'Language saved' },
                { onSuccess: () => onChange(option.value) },
              )
            }
            search={searchLanguages}
            placeholder="Type a language"
          />
        </Field>
      ) : (
        <div className="self-center">
          <Button variant="ghost" pending={save.isPending} onClick={() => setRemoving(language)}>
            Remove {languageName(language)}
          </Button>
        </div>
      )}
      {removing && (
        <ConfirmDialog
          title={`Remove ${languageName(removing)}?`}
          description={`Its words are gone, and cannot be brought back. Patients who read it get your own, in ${languageName(settings.language)}.`}
          confirmLabel="Remove"
          act={() => keep(withoutLanguage(settings, removing))}
          done={`${languageName(removing)} removed`}
          refresh={async () => onChange(settings.language)}
          onClose={() => setRemoving(null)}
        />
      )}
    </div>
  );
}
