'use client';
import { z } from 'zod';
import { MAX_WORDS_LENGTH } from '#contract/limits.ts';
import { type ChannelChoiceView, RecordChoiceInput } from '#contract/message-choices.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { LongText } from '#web/ui/long-text.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPCClient } from '../../trpc-client.tsx';
import { CHANNEL_LABELS } from './choice-labels.ts';

type NoteChoiceProps = { patientId: string; choice: ChannelChoiceView; onClose: () => void };
const SCHEMA = z.object({ words: RecordChoiceInput.shape.words });

/** Records what a patient said about reminders, in their words. */
export function NoteChoice(props: NoteChoiceProps) {
  const { channel, state } = props.choice;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title={
        state === 'stopped'
          ? `Send reminders ${CHANNEL_LABELS[channel]} again?`
          : `No more reminders ${CHANNEL_LABELS[channel]}?`
      }
      description="What they said is kept with your name, so that anybody can see later why."
    >
      <NoteForm {...props} />
    </Dialog>
  );
}

function NoteForm({ patientId, choice, onClose }: NoteChoiceProps) {
  const { messageChoices } = useTRPCClient();
  const refresh = useInvalidate('messageChoices');
  const next = choice.state === 'stopped' ? 'allowed' : 'stopped';
  const form = useApiForm({
    schema: SCHEMA,
    defaultValues: { words: '' },
    save: async ({ words }) => {
      await messageChoices.note.mutate({ id: patientId, channel: choice.channel, state: next, words });
      toast.success(next === 'stopped' ? 'They get no more reminders' : 'They get reminders again');
      onClose();
      await refresh();
    },
  });
  return (
    <DialogForm form={form} submitLabel={next === 'stopped' ? 'No more reminders' : 'Send reminders again'}>
      <FormField name="words" label="What did they say?" hint="For example: asked at the front desk not to be texted.">
        {(field) => <LongText {...field} value={field.value} limit={MAX_WORDS_LENGTH} />}
      </FormField>
    </DialogForm>
  );
}
