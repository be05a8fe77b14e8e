'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { languageName } from '#contract/language-name.ts';
import type { MessageSettings, MessageSettingsView } from '#contract/message-settings.ts';
import {
  FIELD_LABELS,
  isFieldAllowed,
  MAX_TEMPLATE_LENGTHS,
  MESSAGE_FIELDS,
  type MessageField,
  type MessageKind,
  type MessageTemplate,
} from '#contract/message-templates.ts';
import { fieldOfError, firstErrorMessage, readApiErrors } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { Input } from '#web/ui/input.tsx';
import { LongText } from '#web/ui/long-text.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { EmailFrame } from './email-frame.tsx';
import { fallbackTemplate, isSameTemplate, templateIn, withTemplate } from './templates.ts';
import { useUpdateSettings } from './use-save-settings.ts';

type View = 'letter' | 'plain' | 'text';
const VIEWS: { value: View; label: string }[] = [
  { value: 'letter', label: 'Email' },
  { value: 'plain', label: 'Plain text' },
  { value: 'text', label: 'Text message' },
];

/** Fields that only one kind of message fills. */
const KIND_OF_FIELD: Partial<Record<MessageField, MessageKind>> = { before: 'move', reason: 'cancellation' };

type PreviewProps = { kind: MessageKind; language: string; settings: MessageSettings };

/** A message as a patient with this language gets it, for a sample appointment. */
function Preview({ kind, language, settings }: PreviewProps) {
  const client = useTRPCClient();
  const [view, setView] = useState<View>('letter');
  const preview = useQuery({
    queryKey: ['message-preview', kind, language, settings],
    queryFn: () => client.messageSettings.preview.mutate({ kind, language, settings }),
    retry: false,
  });
  return (
    <section aria-label="Preview" className="min-w-0 rounded-lg border border-line p-4">
      <h3 className="mb-2 font-semibold">Preview</h3>
      <ViewTabs label="Shown as" options={VIEWS} value={view} onChange={setView} />
      {preview.error && fieldOfError(readApiErrors(preview.error)[0]) ? (
        <FormError>{firstErrorMessage(preview.error)}</FormError>
      ) : preview.error ? (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
      ) : !preview.data ? (
        <Skeleton className="h-60" />
      ) : view === 'text' ? (
        <p className="wrap-anywhere whitespace-pre-wrap">{preview.data.sms}</p>
      ) : (
        <>
          <p className="mb-3 font-medium wrap-anywhere" lang={preview.data.language}>
            {preview.data.subject}
          </p>
          {view === 'plain' ? (
            <p className="wrap-anywhere whitespace-pre-wrap">{preview.data.text}</p>
          ) : (
            <EmailFrame title={`Email: ${preview.data.subject}`} html={preview.data.html} />
          )}
        </>
      )}
    </section>
  );
}

type TemplateFormProps = { kind: MessageKind; language: string; saved: MessageSettingsView };

/** Edits the texts of one message in one language, with its placeholders and a preview. */
export function TemplateForm({ kind, language, saved }: TemplateFormProps) {
  const client = useTRPCClient();
  const update = useUpdateSettings(saved);
  const { settings } = saved;
  const [shown, setShown] = useState<MessageSettings | null>(null);
  const isTranslation = language !== settings.language;
  // Fallback where this language has no texts; a translation starts with it.
  const fallback = fallbackTemplate(settings, language, kind);
  const isMissing = isTranslation && templateIn(settings, language, kind) === null;
  const changed = (template: MessageTemplate) => withTemplate(settings, language, { kind, template });
  const form = useApiForm({
    schema: async () => (await import('./message-values.ts')).templateValues(settings),
    defaultValues: templateIn(settings, language, kind) ?? fallback,
    save: async (template) => {
      const updated = await update(changed(template), 'Wording saved');
      form.reset(templateIn(updated.settings, language, kind) ?? fallback);
    },
  });
  const sendSample = useMutation({
    mutationFn: () => client.messageSettings.test.mutate({ kind, language, settings: changed(form.getValues()) }),
    onSuccess: ({ sent_to }) => toast.success(`Sent to ${sent_to}`),
    onError: (error) => toast.error(firstErrorMessage(error)),
  });
  const current = form.watch();
  const fields = MESSAGE_FIELDS.filter(
    (field) => (field === 'reason' || isFieldAllowed(field, settings)) && (KIND_OF_FIELD[field] ?? kind) === kind,
  );
  return (
    <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-2">
      <Form form={form} className="grid gap-4">
        <FormRootError />
        {isMissing && (
          <p className="text-muted">
            There is no wording in {languageName(language)} for this message yet: patients who read it get your main
            wording, in {languageName(settings.language)}. It is shown here to be translated.
          </p>
        )}
        <FormField name="subject" label="Subject of the email">
          {(field) => <Input {...field} autoComplete="off" />}
        </FormField>
        <FormField name="body" label="Email" hint="Leave an empty line between paragraphs.">
          {(field) => <LongText {...field} value={field.value} limit={MAX_TEMPLATE_LENGTHS.body} rows={12} />}
        </FormField>
        <FormField name="text" label="Text message" hint="160 letters are charged as one text.">
          {(field) => <LongText {...field} value={field.value} limit={MAX_TEMPLATE_LENGTHS.text} />}
        </FormField>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
            Save wording
          </Button>
          <Button onClick={() => setShown(changed(form.getValues()))}>Show preview</Button>
          <Button pending={sendSample.isPending} onClick={() => sendSample.mutate()}>
            Send to me
          </Button>
          {!isSameTemplate(current, fallback) && (
            <Button
              variant="ghost"
              onClick={() => {
                for (const part of ['subject', 'body', 'text'] as const)
                  form.setValue(part, fallback[part], { shouldDirty: true });
              }}
            >
              {isTranslation ? 'Go back to your wording' : 'Reset to the default wording'}
            </Button>
          )}
        </div>
        <dl className="grid gap-1.5 text-[13px]">
          <dt className="font-medium">What you can use in your wording</dt>
          {fields.map((field) => (
            <dd key={field} className="text-muted">
              <code className="text-ink">{`{${field}}`}</code> {FIELD_LABELS[field]}
            </dd>
          ))}
        </dl>
      </Form>
      <Preview kind={kind} language={language} settings={shown ?? settings} />
    </div>
  );
}
