'use client';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { z } from 'zod';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { Combobox, type ComboboxOption } from '#web/ui/combobox.tsx';
import { Dialog, DialogBody, DialogFooter } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { usePatientOptions } from '../patients/use-patient-search.ts';
import { CheckoutLink } from './checkout-link.tsx';
import { PlanChoice } from './plan-choice.tsx';

const PatientChoice = z.object({ value: z.string(), label: z.string(), hint: z.string().optional() });
const SubscribeValues = z.object({
  patient_id: PatientChoice.nullable().refine((choice) => choice !== null, 'Choose a patient.'),
  price_ids: z.string().min(1, 'Choose a plan.'),
  promotion_code: z.string().trim(),
  cancel_at_period_end: z.boolean(),
});

type SubscribeFormProps = {
  presetPatient?: ComboboxOption;
  onCreated: (created: SubscriptionView) => void;
};

function SubscribeForm({ presetPatient, onCreated }: SubscribeFormProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const refresh = useInvalidate('subscriptions');
  const searchPatients = usePatientOptions();
  /** Patient and plan that were rejected as a duplicate; pressing the button again confirms them. */
  const [duplicate, setDuplicate] = useState<string | null>(null);
  const isConfirmed = useRef(false);
  const form = useApiForm({
    schema: SubscribeValues,
    defaultValues: {
      patient_id: presetPatient ?? null,
      price_ids: '',
      promotion_code: '',
      cancel_at_period_end: false,
    },
    save: async ({ patient_id, price_ids, promotion_code, cancel_at_period_end }) => {
      if (!patient_id) throw new Error('the schema requires a patient');
      const allow_duplicate = isConfirmed.current;
      isConfirmed.current = false;
      const input = {
        patient_id: patient_id.value,
        price_ids: [price_ids],
        ...(promotion_code && { promotion_code }),
        ...(cancel_at_period_end && { cancel_at_period_end }),
        ...(allow_duplicate && { allow_duplicate }),
      };
      const created = await client.subscriptions.create.mutate(input).catch((error: unknown) => {
        const { meta } = readApiErrors(error)[0];
        setDuplicate(meta?.subscription_id === undefined ? null : `${input.patient_id} ${price_ids}`);
        throw error;
      });
      onCreated(created);
      await refresh();
    },
  });
  const [patient, priceId] = form.watch(['patient_id', 'price_ids']);
  const plans = useQuery(trpc.plans.list.queryOptions({ size: 1000 }));
  const hasTrial = plans.data?.items.some(({ id, trial_period_in_days }) => id === priceId && trial_period_in_days);
  const createAnyway = () => {
    isConfirmed.current = true;
    void form.submit();
  };
  return (
    <DialogForm form={form} submitLabel="Create subscription">
      {!presetPatient && (
        <FormField name="patient_id" label="Patient">
          {({ value, onChange, ref }) => (
            <Combobox
              ref={ref}
              value={value || null}
              onChange={onChange}
              search={searchPatients}
              placeholder="Search by name, date of birth or phone"
            />
          )}
        </FormField>
      )}
      <FormField name="price_ids" label="Plan">
        {({ value, onChange, ref }) => <PlanChoice value={value} onChange={onChange} ref={ref} />}
      </FormField>
      {duplicate !== null && duplicate === `${patient?.value} ${priceId}` && (
        <p className="flex flex-wrap items-center gap-2 text-muted">
          Choose another plan, or have them pay for both:
          <Button size="sm" disabled={form.formState.isSubmitting} onClick={createAnyway}>
            Create it anyway
          </Button>
        </p>
      )}
      <FormField
        name="promotion_code"
        label="Promotion code"
        required={false}
        hint={
          hasTrial &&
          'This plan starts with a free trial. Its $0 bill may use up a code for the first bill. On the payment page, the patient can enter the code for the first bill after the trial.'
        }
      >
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

type SubscribeDialogProps = { open: boolean; onOpenChange: (open: boolean) => void; patient?: ComboboxOption };

/** Two steps: choose the plan, then give the patient the payment link. */
export function SubscribeDialog({ open, onOpenChange, patient }: SubscribeDialogProps) {
  const [created, setCreated] = useState<SubscriptionView | null>(null);
  const close = () => {
    onOpenChange(false);
    setCreated(null);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={created ? 'Subscription created' : patient ? `New subscription for ${patient.label}` : 'New subscription'}
    >
      {created ? (
        <>
          <DialogBody>
            <CheckoutLink subscription={created} />
          </DialogBody>
          <DialogFooter>
            <Button onClick={close}>Done</Button>
          </DialogFooter>
        </>
      ) : (
        <SubscribeForm {...(patient && { presetPatient: patient })} onCreated={setCreated} />
      )}
    </Dialog>
  );
}
