'use client';
import type { MessageSettingsView } from '#contract/message-settings.ts';
import { SNIPPET_KEYS, type Snippets } from '#contract/message-templates.ts';
import { Button } from '#web/ui/button.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { phrasesIn, withPhrases } from './message-texts.ts';
import { useUpdateSettings } from './use-save-settings.ts';

const LABELS: Record<keyof Snippets, string> = {
  nameless: 'In place of {name}, where no name is known',
  earlier: 'In place of {before}, where no time is known',
  entry: 'The visit in the patient’s calendar',
  choices: 'Before the link to their choices, under a reminder',
};

/** Edits the short texts that surround the messages of a language. */
export function PhrasesForm({ language, kept }: { language: string; kept: MessageSettingsView }) {
  const keep = useUpdateSettings(kept);
  const { settings } = kept;
  const form = useApiForm({
    schema: async () => (await import('./message-texts-values.ts')).PhrasesValues,
    defaultValues: phrasesIn(settings, language),
    save: async (small) => {
      const now = await keep(withPhrases(settings, language, small), 'Words saved');
      form.reset(phrasesIn(now.settings, language));
    },
  });
  return (
    <Form form={form} className="grid max-w-xl gap-4">
      <FormRootError />
      {SNIPPET_KEYS.map((which) => (
        <FormField key={which} name={which} label={LABELS[which]}>
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
