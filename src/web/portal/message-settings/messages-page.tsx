'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { languageName } from '#contract/language-name.ts';
import type { MailFinding, MessageSettingsView } from '#contract/message-settings.ts';
import { MESSAGE_KINDS, type MessageKind, SNIPPET_KEYS, type Snippets } from '#contract/message-templates.ts';
import { Badge, type Tone } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Combobox } from '#web/ui/combobox.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Field } from '#web/ui/field.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { DataTableSkeleton, Skeleton } from '#web/ui/skeleton.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { languageOption, searchLanguages } from '../clinic/language-options.ts';
import { SendingForm } from './sending-form.tsx';
import { TemplateForm } from './template-form.tsx';
import { snippetsIn, withLanguage, withoutLanguage, withSnippets } from './templates.ts';
import { useSaveSettings, useUpdateSettings } from './use-save-settings.ts';

const FINDING_NAMES: Record<MailFinding['what'], string> = {
  spf: 'Who may send (SPF)',
  dkim: 'Signatures (DKIM)',
  dmarc: 'What to do with forged email (DMARC)',
};
const FINDING_STATES: Record<MailFinding['state'], [label: string, tone: Tone]> = {
  good: ['In order', 'good'],
  advice: ['Advice', 'info'],
  wrong: ['To be fixed', 'warn'],
  unknown: ['Not known', 'neutral'],
};

/** Checks whether receivers can authenticate the clinic's mail; renders nothing in a sandbox, which sends no mail. */
function MailDomain() {
  const trpc = useTRPC();
  const checked = useQuery(trpc.mailDomain.check.queryOptions({}));
  if (checked.data && checked.data.domain === null) return null;
  return (
    <Card aria-label="Email delivery">
      <CardHeader
        title="Email delivery"
        description={checked.data ? `What DNS says about email from ${checked.data.domain}` : undefined}
      />
      {checked.error ? (
        <ErrorState error={checked.error} onRetry={() => void checked.refetch()} />
      ) : !checked.data ? (
        <DataTableSkeleton columns={2} />
      ) : (
        <ul className="divide-y divide-line">
          {checked.data.findings.map(({ what, state, title, detail }) => (
            <li key={what} className="flex items-start justify-between gap-3 px-4 py-3">
              <div className="min-w-0">
                <p className="font-medium wrap-anywhere">
                  {FINDING_NAMES[what]} {title}
                </p>
                <p className="text-[13px] text-muted wrap-anywhere">{detail}</p>
              </div>
              <Badge tone={FINDING_STATES[state][1]} dot>
                {FINDING_STATES[state][0]}
              </Badge>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const SNIPPET_LABELS: Record<keyof Snippets, string> = {
  nameless: 'In place of {name}, where no name is known',
  earlier: 'In place of {before}, where no time is known',
  entry: 'The appointment in the patient’s calendar',
  choices: 'Before the link to their choices, under a reminder',
};

/** Edits the short texts that surround the messages of a language. */
function SnippetsForm({ language, saved }: { language: string; saved: MessageSettingsView }) {
  const update = useUpdateSettings(saved);
  const { settings } = saved;
  const form = useApiForm({
    schema: async () => (await import('./message-values.ts')).SnippetsValues,
    defaultValues: snippetsIn(settings, language),
    save: async (snippets) => {
      const updated = await update(withSnippets(settings, language, snippets), 'Wording saved');
      form.reset(snippetsIn(updated.settings, language));
    },
  });
  return (
    <Form form={form} className="grid max-w-xl gap-4">
      <FormRootError />
      {SNIPPET_KEYS.map((key) => (
        <FormField key={key} name={key} label={SNIPPET_LABELS[key]}>
          {(field) => <Input {...field} autoComplete="off" />}
        </FormField>
      ))}
      <div>
        <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
          Save wording
        </Button>
      </div>
    </Form>
  );
}

const ConfirmDialog = lazyComponent(() => import('#web/ui/confirm-dialog.tsx').then((module) => module.ConfirmDialog));

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
    label: value === settings.language ? `${languageName(value)} (your main wording)` : languageName(value),
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
      <Field label="Language of the wording">
        <PlainSelect options={options} value={language} onValueChange={onChange} />
      </Field>
      <Field label="Add a language" hint="Patients who read it get your wording in it.">
        <Combobox
          value={null}
          onChange={(option) => option && add(option.value)}
          search={searchLanguages}
          placeholder="Type a language"
        />
      </Field>
      {isOwn ? (
        <Field label="Your main wording is in" hint="Everybody else gets these. Dates are written in it, too.">
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
          description={`Its wording is deleted, and cannot be restored. Patients who read it get your main wording, in ${languageName(settings.language)}.`}
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

const MESSAGE_NAMES: Record<MessageKind, string> = {
  confirmation: 'Confirmation',
  move: 'Move',
  cancellation: 'Cancellation',
  reminder: 'Reminder',
};
const MESSAGE_OPTIONS = [
  ...MESSAGE_KINDS.map((value) => ({ value, label: MESSAGE_NAMES[value] })),
  { value: 'small' as const, label: 'Short phrases' },
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
        <ViewTabs label="Message" options={MESSAGE_OPTIONS} value={kind} onChange={setKind} />
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
      <PageHeader title="Messages" description="What patients get about their appointments, when, and in which words" />
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
