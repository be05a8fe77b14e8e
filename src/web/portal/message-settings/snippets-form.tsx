'use client';
import type { MessageSettingsView } from '#contract/message-settings.ts';
import { SNIPPET_KEYS, type Snippets } from '#contract/message-templates.ts';
import { Button } from '#web/ui/button.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { snippetsIn, withSnippets } from './templates.ts';
import { useUpdateSettings } from './use-save-settings.ts';

const LABELS: Record<keyof Snippets, string> = {
  nameless: 'In place of {name}, where no name is known',
  earlier: 'In place of {before}, where no time is known',
  entry: 'The visit in the patient’s calendar',
  choices: 'Before the link to their choices, under a reminder',
};

/** Edits the short texts that surround the messages of a language. */
export function SnippetsForm({ language, saved }: { language: string; saved: MessageSettingsView }) {
  const update = useUpdateSettings(saved);
  const { settings } = saved;
  const form = useApiForm({
    schema: async () => (await import('./template-values.ts')).SnippetsValues,
    defaultValues: snippetsIn(settings, language),
    save: async (snippets) => {
      const now = await update(withSnippets(settings, language, snippets), 'Words saved');
      form.reset(snippetsIn(now.settings, language));
    },
  });
  return (
    <Form form={form} className="grid max-w-xl gap-4">
      <FormRootError />
      {SNIPPET_KEYS.map((key) => (
        <FormField key={key} name={key} label={LABELS[key]}>
          {(field) => <Input {...field} autoComplete="off" />}
        </FormField>
      ))}
      <div>
        <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
          Save words
        </Button>
      </div>
    </Form>
  );
}
