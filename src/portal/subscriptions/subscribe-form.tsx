'use client';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { RadioGroup } from 'radix-ui';
import { type Ref, useLayoutEffect, useRef, useState } from 'react';
import { z } from 'zod';
import type { PlanView, SubscriptionView } from '#contract/subscriptions.ts';
import { Checkbox } from '#portal/ui/checkbox.tsx';
import { ChoiceCard } from '#portal/ui/choice-card.tsx';
import { Combobox, type ComboboxOption } from '#portal/ui/combobox.tsx';
import { DialogForm } from '#portal/ui/dialog-form.tsx';
import { EmptyState } from '#portal/ui/empty-state.tsx';
import { ErrorState } from '#portal/ui/error-state.tsx';
import { useFieldWiring } from '#portal/ui/field.tsx';
import { FormField, useApiForm } from '#portal/ui/form.tsx';
import { Input } from '#portal/ui/input.tsx';
import { Skeleton } from '#portal/ui/skeleton.tsx';
import { usePatientOptions } from '../patients/use-patient-search.ts';
import { describePrice } from '../plans/plan-terms.ts';
import { useTRPC, useTRPCClient } from '../trpc-client.tsx';

const PatientChoice = z.object({ value: z.string(), label: z.string(), hint: z.string().optional() });
const SubscribeValues = z.object({
  patient_id: PatientChoice.nullable().refine((choice) => choice !== null, 'Choose a patient.'),
  price_ids: z.string().min(1, 'Choose a plan.'),
  promotion_code: z.string().trim(),
  cancel_at_period_end: z.boolean(),
});

type SubscribeFormProps = {
  knownPatient?: ComboboxOption;
  onCreated: (created: SubscriptionView) => void;
};

export function SubscribeForm({ knownPatient, onCreated }: SubscribeFormProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const searchPatients = usePatientOptions();
  const form = useApiForm({
    schema: SubscribeValues,
    defaultValues: { patient_id: knownPatient ?? null, price_ids: '', promotion_code: '', cancel_at_period_end: false },
    save: async ({ patient_id, price_ids, promotion_code, cancel_at_period_end }) => {
      const created = await client.subscriptions.create.mutate({
        patient_id: patient_id!.value,
        price_ids: [price_ids],
        ...(promotion_code && { promotion_code }),
        ...(cancel_at_period_end && { cancel_at_period_end }),
      });
      onCreated(created);
      await queries.invalidateQueries(trpc.subscriptions.pathFilter());
    },
  });
  return (
    <DialogForm form={form} submitLabel="Create subscription">
      {!knownPatient && (
        <FormField name="patient_id" label="Patient">
          {({ value, onChange, ref }) => (
            <Combobox
              ref={ref}
              value={value || null}
              onChange={onChange}
              search={searchPatients}
              placeholder="Search by name, email or phone"
            />
          )}
        </FormField>
      )}
      <FormField name="price_ids" label="Plan">
        {({ value, onChange, ref }) => <PlanChoice value={value} onChange={onChange} ref={ref} />}
      </FormField>
      <FormField name="promotion_code" label="Promotion code" required={false}>
        {(field) => <Input {...field} autoComplete="off" />}
      </FormField>
      <FormField name="cancel_at_period_end" label="End" hideLabel>
        {({ value, onChange }) => (
          <Checkbox
            label="End after the first billing period"
            hint="It does not renew by itself."
            checked={value === true}
            onCheckedChange={onChange}
          />
        )}
      </FormField>
    </DialogForm>
  );
}

type PlanChoiceProps = { value: string; onChange: (priceId: string) => void; ref: Ref<HTMLDivElement> };

function PlanChoice({ value, onChange, ref }: PlanChoiceProps) {
  const { id, ...wiring } = useFieldWiring();
  const place = useRef<HTMLDivElement>(null);
  const trpc = useTRPC();
  const plans = useQuery(trpc.plans.list.queryOptions({ size: 1000 }));
  const isLoading = plans.isPending;
  const [hasLed, setLed] = useState(false);
  const leadIn = () => {
    const first = place.current?.querySelector<HTMLElement>('[role=radio]');
    first?.focus();
    if (first) setLed(true);
  };
  // A list of radios takes no focus before it has its items: their place takes it, and hands it on when they are there.
  useLayoutEffect(() => {
    if (!isLoading && document.activeElement === place.current) leadIn();
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend, and the label stands above.
    <div
      ref={place}
      id={id}
      role="group"
      aria-label="Plans"
      aria-busy={isLoading || undefined}
      {...(!hasLed && { tabIndex: 0 })}
      onFocus={(event) => event.target === event.currentTarget && leadIn()}
      className="rounded-lg"
    >
      <Plans plans={plans} value={value} onChange={onChange} wiring={wiring} ref={ref} />
    </div>
  );
}

type PlansProps = PlanChoiceProps & {
  plans: UseQueryResult<{ items: PlanView[] }, unknown>;
  wiring: Omit<ReturnType<typeof useFieldWiring>, 'id'>;
};

function Plans({ plans, value, onChange, wiring, ref }: PlansProps) {
  if (plans.error)
    return (
      <ErrorState error={plans.error} title="The plans could not be loaded" onRetry={() => void plans.refetch()} />
    );
  if (!plans.data) return <Skeleton className="h-28 rounded-lg" />;
  const offered = plans.data.items.filter((plan) => plan.active && plan.recurring);
  if (offered.length === 0)
    return (
      <EmptyState
        title="No plans to choose from"
        description="Create a recurring price at your payment provider first."
      />
    );
  return (
    <RadioGroup.Root
      ref={ref}
      {...wiring}
      value={value}
      onValueChange={onChange}
      aria-label="Plan"
      className="grid max-h-64 gap-2 overflow-y-auto p-0.5"
    >
      {offered.map((plan) => (
        <ChoiceCard
          key={plan.id}
          value={plan.id}
          title={[plan.name, plan.nickname].filter(Boolean).join(' · ')}
          hint={plan.trial_period_in_days ? `${plan.trial_period_in_days} days free` : plan.description}
          aside={describePrice(plan)}
        />
      ))}
    </RadioGroup.Root>
  );
}
