'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { BillingSettings as Settings } from '#contract/integrations.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

const TRIAL_ENDS = [
  { value: 'cancel', label: 'The subscription ends' },
  { value: 'pause', label: 'It pauses until there is a card' },
  { value: 'past_due', label: 'A bill is made, and it is past due' },
];
const PRORATIONS = [
  { value: 'next_invoice', label: 'With the next bill' },
  { value: 'now', label: 'At once' },
  { value: 'none', label: 'Not at all' },
];

const toValues = (settings: Settings) => ({ ...settings, grace_days: String(settings.grace_days) });

/** The clinic's rules for its subscriptions. */
export function BillingSettings({ settings }: { settings: Settings }) {
  return (
    <Card aria-label="Rules for subscriptions">
      <CardHeader title="Rules for subscriptions" description="They hold on patients’ pages and in your apps alike." />
      <CardBody>
        <SettingsForm settings={settings} />
      </CardBody>
    </Card>
  );
}

function SettingsForm({ settings }: { settings: Settings }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const form = useApiForm({
    schema: async () => (await import('./billing-values.ts')).BillingValues,
    defaultValues: toValues(settings),
    save: async (values) => {
      const { settings: now } = await client.integrations.updateStripe.mutate(values);
      if (now) form.reset(toValues(now));
      toast.success('Rules saved');
      await queries.invalidateQueries(trpc.integrations.pathFilter());
    },
  });
  return (
    <Form form={form} className="grid gap-5">
      <FormRootError />
      <div className="grid items-start gap-4 md:grid-cols-2 xl:grid-cols-3">
        <FormField name="trial_end" label="When a trial ends without a card" hint="For trials that begin from now on.">
          {({ value, onChange, name }) => (
            <PlainSelect options={TRIAL_ENDS} value={value} onValueChange={onChange} name={name} />
          )}
        </FormField>
        <FormField
          name="grace_days"
          label="Days of grace"
          hint="How long a patient keeps what was bought while a bill is unpaid."
        >
          {(field) => <Input {...field} inputMode="numeric" autoComplete="off" />}
        </FormField>
        <FormField
          name="proration"
          label="A change of plan is billed"
          hint="Unless the person who changes it chooses otherwise."
        >
          {({ value, onChange, name }) => (
            <PlainSelect options={PRORATIONS} value={value} onValueChange={onChange} name={name} />
          )}
        </FormField>
      </div>
      <div className="grid gap-4">
        <FormField name="trial_once" label="One trial" hideLabel>
          {({ value, onChange }) => (
            <Checkbox
              label="One free trial of a plan for each patient"
              hint="Who subscribes again to a plan that they have tried pays from the first day."
              checked={value === true}
              onCheckedChange={onChange}
            />
          )}
        </FormField>
        <FormField name="patients_may_cancel" label="Cancel" hideLabel>
          {({ value, onChange }) => (
            <Checkbox
              label="Patients may cancel by themselves"
              hint="Otherwise they are asked to get in touch with you."
              checked={value === true}
              onCheckedChange={onChange}
            />
          )}
        </FormField>
        <FormField name="patients_may_change_plan" label="Change plan" hideLabel>
          {({ value, onChange }) => (
            <Checkbox
              label="Patients may change their plan by themselves"
              hint="They see what it costs before they agree."
              checked={value === true}
              onCheckedChange={onChange}
            />
          )}
        </FormField>
      </div>
      <div>
        <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
          Save rules
        </Button>
      </div>
    </Form>
  );
}
