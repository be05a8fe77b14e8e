'use client';
import { useRouter } from 'next/navigation';
import { RadioGroup } from 'radix-ui';
import { useState } from 'react';
import type { WebhookEndpointView, WebhookEndpointWithSecretView } from '#contract/webhooks.ts';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';
import { EventChoice } from './event-choice.tsx';
import { NewSecret } from './new-secret.tsx';
import { changesOf, inputOf, mustConfirm, type ReceiverValues, receiverValues, valuesOf } from './receiver-values.ts';
import { TroubleFields } from './trouble-fields.tsx';
import { useRefreshWebhooks } from './use-refresh-webhooks.ts';
import { nameOfReceiver } from './words.ts';

/** Creates a receiver and shows its signing secret once. Its page then shows what to do next. */
export function AddReceiver({ onClose }: { onClose: () => void }) {
  const client = useTRPCClient();
  const router = useRouter();
  const isSandbox = useMe().environment === 'sandbox';
  const [made, setMade] = useState<WebhookEndpointWithSecretView | null>(null);
  return (
    <Dialog
      open
      size="lg"
      isHeld={made !== null}
      onOpenChange={onClose}
      title={made ? `${nameOfReceiver(made)} is added` : 'Add receiver'}
      {...(!made && { description: 'A system of yours that is sent what happens at your clinic.' })}
    >
      {made ? (
        <NewSecret
          secret={made.secret}
          next="Your receiver needs it to know what comes from Carelane. The next page has code that does so."
          onDone={() => {
            onClose();
            router.push(`/settings/webhooks/${made.id}`);
          }}
        />
      ) : (
        <ReceiverForm
          before={null}
          submitLabel="Add receiver"
          save={async (values) => setMade(await client.webhooks.create.mutate(inputOf(values, { isSandbox })))}
        />
      )}
    </Dialog>
  );
}

export function ChangeReceiver({ receiver, onClose }: { receiver: WebhookEndpointView; onClose: () => void }) {
  const client = useTRPCClient();
  const isSandbox = useMe().environment === 'sandbox';
  return (
    <Dialog open size="lg" onOpenChange={onClose} title={`Change ${nameOfReceiver(receiver)}`}>
      <ReceiverForm
        before={receiver}
        submitLabel="Save changes"
        save={async (values) => {
          await client.webhooks.update.mutate({ id: receiver.id, ...changesOf(values, receiver, { isSandbox }) });
          toast.success('Receiver changed');
          onClose();
        }}
      />
    </Dialog>
  );
}

type FormProps = {
  before: WebhookEndpointView | null;
  submitLabel: string;
  save: (values: ReceiverValues) => Promise<void>;
};

function ReceiverForm({ before, submitLabel, save }: FormProps) {
  const refresh = useRefreshWebhooks();
  const isSandbox = useMe().environment === 'sandbox';
  const form = useApiForm({
    schema: receiverValues(before),
    defaultValues: valuesOf(before),
    save: async (values) => {
      await save(values);
      await refresh();
    },
  });
  const [payload, url] = form.watch(['payload', 'url']);
  return (
    <DialogForm form={form} submitLabel={submitLabel}>
      <FormField
        name="url"
        label="Address"
        hint={isSandbox ? 'A public https address, or one of this machine: http://localhost:4000/hooks' : HTTPS_ONLY}
      >
        {(field) => <Input {...field} inputMode="url" autoComplete="off" spellCheck={false} />}
      </FormField>
      <FormField
        name="description"
        label="Description"
        required={false}
        hint="What it is, for you and your colleagues."
      >
        {(field) => <Input {...field} autoComplete="off" />}
      </FormField>
      <FormField name="event_types" label="Events to send">
        {({ value, onChange }) => <EventChoice value={value || []} onChange={onChange} />}
      </FormField>
      <FormField name="payload" label="How much each message says">
        {({ value, onChange }) => (
          <RadioGroup.Root
            value={value}
            onValueChange={onChange}
            aria-label="How much each message says"
            className="grid gap-2"
          >
            <ChoiceCard
              value="thin"
              title="Only that something happened, and to what"
              hint="Ids and names of events, no health data. Your system asks the API for the rest."
            />
            <ChoiceCard
              value="snapshot"
              title="With the record as it was at that moment"
              hint="Health data leaves Carelane. Each message about a patient stands in the audit log."
            />
          </RadioGroup.Root>
        )}
      </FormField>
      {mustConfirm({ payload, url }, before) && (
        <FormField name="health_data_confirmed" label="Health data" hideLabel>
          {({ value, onChange }) => (
            <Checkbox
              label="Health data may be sent to this address"
              hint="I have made sure of it: a contract covers it, and the people who run that system may see it."
              checked={value === true}
              onCheckedChange={(on) => onChange(on === true)}
            />
          )}
        </FormField>
      )}
      {isSandbox && <TroubleFields />}
    </DialogForm>
  );
}

const HTTPS_ONLY = 'A public https address.';
