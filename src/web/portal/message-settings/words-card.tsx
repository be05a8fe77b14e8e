'use client';
import { useState } from 'react';
import type { MessageSettingsView } from '#contract/message-settings.ts';
import { MESSAGE_KINDS, type MessageKind } from '#contract/message-words.ts';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { Languages } from './languages.tsx';
import { SmallWordsForm } from './small-words-form.tsx';
import { WordsForm } from './words-form.tsx';

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
export function WordsCard({ kept }: { kept: MessageSettingsView }) {
  const { settings } = kept;
  const [kind, setKind] = useState<MessageKind | 'small'>('confirmation');
  const [chosen, setChosen] = useState(settings.language);
  // Another user may have removed the language.
  const isThere = settings.translations.some(({ language }) => language === chosen);
  const language = isThere ? chosen : settings.language;
  return (
    <Card aria-label="Words">
      <CardHeader title="Words" description="Your clinic’s name, logo and contact for questions are added for you." />
      <CardBody>
        <Languages kept={kept} language={language} onChange={setChosen} />
        <ViewTabs label="Message" options={OPTIONS} value={kind} onChange={setKind} />
        {kind === 'small' ? (
          <SmallWordsForm key={language} language={language} kept={kept} />
        ) : (
          <WordsForm key={`${kind} ${language}`} kind={kind} language={language} kept={kept} />
        )}
      </CardBody>
    </Card>
  );
}
