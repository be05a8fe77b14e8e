'use client';
import { useRouter } from 'next/navigation';
import { RadioGroup } from 'radix-ui';
import { useState } from 'react';
import { EVENT_TOPICS, EVENT_TYPES, type EventType } from '#contract/event-types.ts';
import type { WebhookEndpointView, WebhookEndpointWithSecretView } from '#contract/webhooks.ts';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { SecretField } from '#web/ui/copy-field.tsx';
import { Dialog, ShownOnce } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { Select } from '#web/ui/select.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPCClient } from '../../trpc-client.tsx';
import { eventTitle, TYPE_NAMES } from '../event-names/event-labels.ts';
import { useMe } from '../me.tsx';
import { changesOf, inputOf, mustConfirm, type ReceiverValues, receiverValues, valuesOf } from './receiver-values.ts';
import { receiverName } from './webhook-labels.ts';

const ALL = '*';
/** Fixed order, independent of the order of selection. */
const CHOICES = EVENT_TYPES.flatMap((type) => [type, ...EVENT_TOPICS[type].map((topic) => `${type}.${topic}`)]);

type Props = { value: string[]; onChange: (value: string[]) => void };

/** Selects everything or single events. Nothing is preselected: an admin decides what a system is sent. */
function EventChoice({ value, onChange }: Props) {
  const isAll = value.includes(ALL);
  // Restores the selection when the user switches to everything and back.
  const [singleEvents, setSingleEvents] = useState(isAll ? [] : value);
  const [isChosen, setChosen] = useState(!isAll && value.length > 0);
  const chooseEvents = (names: string[]) => {
    setSingleEvents(names);
    onChange(names);
  };
  const kind = isAll ? 'all' : isChosen ? 'some' : '';
  return (
    <div className="grid gap-2">
      <RadioGroup.Root
        aria-label="Events to send"
        value={kind}
        onValueChange={(next) => {
          setChosen(next === 'some');
          onChange(next === 'all' ? [ALL] : singleEvents);
        }}
        className="grid gap-2 md:grid-cols-2"
      >
        <ChoiceCard value="all" title="Everything" hint="Including kinds of events that are added later." />
        <ChoiceCard value="some" title="What I choose" hint="Whole kinds, or single events." />
      </RadioGroup.Root>
      {isChosen && !isAll && (
        <div className="grid gap-3 rounded-md border border-line p-3">
          {EVENT_TYPES.map((type) => (
            <TypeChoice key={type} type={type} value={value} onChange={chooseEvents} />
          ))}
        </div>
      )}
    </div>
  );
}

function TypeChoice({ type, value, onChange }: Props & { type: EventType }) {
  const hasWholeType = value.includes(type);
  const names = EVENT_TOPICS[type].map((topic) => ({ topic, name: `${type}.${topic}` }));
  const toggle = (name: string, on: boolean) =>
    onChange(
      CHOICES.filter((event) => (event === name ? on : value.includes(event)))
        // Single topics are redundant next to the whole type.
        .filter((event) => !(on && name === type && event.startsWith(`${type}.`))),
    );
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 text-[13px] font-medium">{TYPE_NAMES[type]}</legend>
      <Checkbox
        label={`Everything about ${TYPE_NAMES[type].toLowerCase()}`}
        checked={hasWholeType}
        onCheckedChange={(on) => toggle(type, on === true)}
      />
      <div className="grid gap-1.5 pl-6.5 sm:grid-cols-2 md:grid-cols-3">
        {names.map(({ topic, name }) => (
          <Checkbox
            key={name}
            label={eventTitle({ event_type: type, event_topic: topic })}
            checked={hasWholeType || value.includes(name)}
            disabled={hasWholeType}
            onCheckedChange={(on) => toggle(name, on === true)}
          />
        ))}
      </div>
    </fieldset>
  );
}

const countOptions = (max: number, label: (count: number) => string) =>
  Array.from({ length: max + 1 }, (_, count) => ({ value: String(count), label: label(count) }));
const COPY_OPTIONS = countOptions(3, (count) => (count === 0 ? 'None' : String(count)));
const LOSS_OPTIONS = countOptions(5, (count) => (count === 0 ? 'None' : `The first ${count === 1 ? 'one' : count}`));
const DELAY_OPTIONS = [0, 500, 1000, 5000, 10_000].map((ms) => ({
  value: String(ms),
  label: ms === 0 ? 'None' : `Up to ${ms / 1000} ${ms === 1000 ? 'second' : 'seconds'}`,
}));

/** Sandbox settings that cause network faults on purpose, to test that a receiver tolerates them. */
function FaultInjectionFields() {
  return (
    <details className="rounded-md border border-line p-3">
      <summary className="min-h-6 cursor-default rounded-sm font-medium">
        Simulated failures, to test your receiver
      </summary>
      <p className="mt-1 text-[13px] text-muted">
        Only in a sandbox. Messages to this receiver fail in the ways that networks sometimes fail.
      </p>
      <div className="mt-3 grid gap-4 md:grid-cols-2">
        <FormField name="chaos.duplicates" label="Extra copies of each message">
          {({ value, onChange }) => <Select value={value} onValueChange={onChange} options={COPY_OPTIONS} />}
        </FormField>
        <FormField name="chaos.fail_first" label="Tries that fail first">
          {({ value, onChange }) => <Select value={value} onValueChange={onChange} options={LOSS_OPTIONS} />}
        </FormField>
        <FormField name="chaos.delay_ms" label="Delay of each">
          {({ value, onChange }) => (
            <Select
              value={value}
              onValueChange={onChange}
              options={
                DELAY_OPTIONS.some((delay) => delay.value === value)
                  ? DELAY_OPTIONS
                  : [...DELAY_OPTIONS, { value, label: `Up to ${Number(value) / 1000} seconds` }]
              }
            />
          )}
        </FormField>
        <FormField name="chaos.reorder" label="Order" hideLabel className="self-center">
          {({ value, onChange }) => (
            <Checkbox
              label="Mix up the order"
              hint="Of different patients, appointments and subscriptions."
              checked={value === true}
              onCheckedChange={(on) => onChange(on === true)}
            />
          )}
        </FormField>
      </div>
    </details>
  );
}

/** Creates a receiver and shows its signing secret once. Its page then shows what to do next. */
export function AddReceiver({ onClose }: { onClose: () => void }) {
  const client = useTRPCClient();
  const router = useRouter();
  const isSandbox = useMe().environment === 'sandbox';
  const [created, setCreated] = useState<WebhookEndpointWithSecretView | null>(null);
  return (
    <Dialog
      open
      size="lg"
      isHeld={created !== null}
      onOpenChange={onClose}
      title={created ? `${receiverName(created)} is added` : 'Add receiver'}
      {...(!created && { description: 'One of your systems that receives what happens at your clinic.' })}
    >
      {created ? (
        <ShownOnce
          onDone={() => {
            onClose();
            router.push(`/settings/webhooks/${created.id}`);
          }}
        >
          <SecretField label="Signing secret" value={created.secret} />
          <p className="text-muted">
            Your receiver needs it to know what comes from Carelane. The next page has code that does so.
          </p>
        </ShownOnce>
      ) : (
        <ReceiverForm
          existing={null}
          submitLabel="Add receiver"
          save={async (values) => setCreated(await client.webhooks.create.mutate(inputOf(values, { isSandbox })))}
        />
      )}
    </Dialog>
  );
}

export function ChangeReceiver({ receiver, onClose }: { receiver: WebhookEndpointView; onClose: () => void }) {
  const client = useTRPCClient();
  const isSandbox = useMe().environment === 'sandbox';
  return (
    <Dialog open size="lg" onOpenChange={onClose} title={`Change ${receiverName(receiver)}`}>
      <ReceiverForm
        existing={receiver}
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
  existing: WebhookEndpointView | null;
  submitLabel: string;
  save: (values: ReceiverValues) => Promise<void>;
};

function ReceiverForm({ existing, submitLabel, save }: FormProps) {
  const refresh = useInvalidate('webhooks');
  const isSandbox = useMe().environment === 'sandbox';
  const form = useApiForm({
    schema: receiverValues(existing),
    defaultValues: valuesOf(existing),
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
              hint="Health data leaves Carelane. Each message about a patient is recorded in the audit log."
            />
          </RadioGroup.Root>
        )}
      </FormField>
      {mustConfirm({ payload, url }, existing) && (
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
      {isSandbox && <FaultInjectionFields />}
    </DialogForm>
  );
}

const HTTPS_ONLY = 'A public https address.';
