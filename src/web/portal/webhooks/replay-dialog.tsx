'use client';
import { z } from 'zod';
import { EVENT_TYPES, type EventType } from '#contract/event-types.ts';
import type { WebhookEndpointView } from '#contract/webhooks.ts';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate } from '../../trpc-client.tsx';
import { TYPE_NAMES } from '../event-names/event-labels.ts';
import { replayedMessage, useReplay } from './use-replay.ts';
import { receiverName } from './webhook-labels.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Value of a `datetime-local` field: local time, to the minute. */
function localMinute(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

const ReplayValues = z.object({
  since: z
    .string()
    .refine((value) => value !== '' && !Number.isNaN(Date.parse(value)), 'Choose a day and a time.')
    .refine((value) => !(Date.parse(value) > Date.now()), 'Choose a time that has passed.'),
  event_types: z.array(z.string()),
});

/** Sends events from a time on once more. */
export function ReplayDialog({ receiver, onClose }: { receiver: WebhookEndpointView; onClose: () => void }) {
  const replay = useReplay(receiver.id);
  const refresh = useInvalidate('webhooks');
  const form = useApiForm({
    schema: ReplayValues,
    defaultValues: { since: localMinute(new Date(Date.now() - DAY_MS)), event_types: [] as string[] },
    save: async ({ since, event_types }) => {
      const count = await replay({
        since: new Date(since).toISOString(),
        ...(event_types.length > 0 && { event_types }),
      });
      await refresh();
      toast.success(replayedMessage(count));
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Send again to ${receiverName(receiver)}`}
      description="Each event keeps its id and is marked as sent again, so that a receiver knows what it has had."
    >
      <DialogForm form={form} submitLabel="Send again">
        <FormField name="since" label="What happened since" hint="In the time of this device.">
          {(field) => <Input {...field} type="datetime-local" max={localMinute(new Date())} />}
        </FormField>
        <FormField name="event_types" label="Only about" hint="Nothing ticked means all events of this receiver.">
          {({ value, onChange }) => <TypesChoice types={typesOf(receiver)} value={value || []} onChange={onChange} />}
        </FormField>
      </DialogForm>
    </Dialog>
  );
}

const typesOf = ({ event_types: chosen }: WebhookEndpointView): EventType[] =>
  EVENT_TYPES.filter((type) => chosen.some((event) => event === '*' || event.split('.')[0] === type));

type ChoiceProps = { types: EventType[]; value: string[]; onChange: (value: string[]) => void };

function TypesChoice({ types, value, onChange }: ChoiceProps) {
  return (
    <div className="grid gap-2 rounded-md border border-line p-3 sm:grid-cols-2">
      {types.map((type) => (
        <Checkbox
          key={type}
          label={TYPE_NAMES[type]}
          checked={value.includes(type)}
          onCheckedChange={(on) =>
            onChange(types.filter((event) => (event === type ? on === true : value.includes(event))))
          }
        />
      ))}
    </div>
  );
}
