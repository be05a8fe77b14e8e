'use client';
import { useQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { languageName } from '#contract/languages.ts';
import type { MessageSettingsView } from '#contract/message-settings.ts';
import { MESSAGE_KINDS, type MessageKind } from '#contract/message-templates.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Combobox } from '#web/ui/combobox.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Field } from '#web/ui/field.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { languageOption, searchLanguages } from '../clinic/language-options.ts';
import { MailDomain } from './mail-domain.tsx';
import { SendingForm } from './sending-form.tsx';
import { SnippetsForm } from './snippets-form.tsx';
import { TemplateForm } from './template-form.tsx';
import { withLanguage, withoutLanguage } from './templates.ts';
import { useSaveSettings, useUpdateSettings } from './use-save-settings.ts';

const ConfirmDialog = dynamic(() => import('#web/ui/confirm-dialog.tsx').then((module) => module.ConfirmDialog), {
  ssr: false,
});

type LanguagesProps = { saved: MessageSettingsView; language: string; onChange: (language: string) => void };

/** Manages the languages of messages, and selects the one that is edited below. */
function Languages({ saved, language, onChange }: LanguagesProps) {
  const { settings } = saved;
  const save = useSaveSettings(saved);
  const update = useUpdateSettings(saved);
  const [removing, setRemoving] = useState<string | null>(null);
  const isOwn = language === settings.language;
  const tags = [settings.language, ...settings.translations.map((translation) => translation.language)];
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
          act={() => update(withoutLanguage(settings, removing))}
          done={`${languageName(removing)} removed`}
          refresh={async () => onChange(settings.language)}
          onClose={() => setRemoving(null)}
        />
      )}
    </div>
  );
}

const NAMES: Record<MessageKind, string> = {
  confirmation: 'Confirmation',
  move: 'Move',
  cancellation: 'Cancellation',
  reminder: 'Reminder',
};
const OPTIONS = [
  ...MESSAGE_KINDS.map((value) => ({ value, label: NAMES[value] })),
  { value: 'small' as const, label: 'Small words' },
];

/** Edits the texts of each message in each language, with a preview. */
function TemplatesCard({ saved }: { saved: MessageSettingsView }) {
  const { settings } = saved;
  const [kind, setKind] = useState<MessageKind | 'small'>('confirmation');
  const [chosen, setChosen] = useState(settings.language);
  // Another user may have removed the language.
  const exists = settings.translations.some(({ language }) => language === chosen);
  const language = exists ? chosen : settings.language;
  return (
    <Card aria-label="Words">
      <CardHeader title="Words" description="Your clinic’s name, logo and contact for questions are added for you." />
      <CardBody>
        <Languages saved={saved} language={language} onChange={setChosen} />
        <ViewTabs label="Message" options={OPTIONS} value={kind} onChange={setKind} />
        {kind === 'small' ? (
          <SnippetsForm key={language} language={language} saved={saved} />
        ) : (
          <TemplateForm key={`${kind} ${language}`} kind={kind} language={language} saved={saved} />
        )}
      </CardBody>
    </Card>
  );
}

/** Settings of messages about appointments: which patients get, when, and with which texts. */
export function MessagesPage() {
  const trpc = useTRPC();
  const query = useQuery(trpc.messageSettings.get.queryOptions({}));
  return (
    <>
      <PageHeader title="Messages" description="What patients are sent of their visits, when, and in which words" />
      <div className="grid grid-cols-1 gap-8">
        <Card aria-label="What patients are sent">
          <CardHeader
            title="What patients are sent"
            description="Times are on each patient’s own clock where their time zone is known."
          />
          {/* The form stays mounted when a refetch fails, so that unsaved input is not lost. */}
          {query.error && !query.data ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          ) : (
            <CardBody>{query.data ? <SendingForm saved={query.data} /> : <Skeleton className="h-150" />}</CardBody>
          )}
        </Card>
        {query.data && <TemplatesCard saved={query.data} />}
        <MailDomain />
      </div>
    </>
  );
}
