'use client';
import { useState } from 'react';
import type { CatalogueView } from '#contract/plan-changes.ts';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { localDate } from '#web/ui/format-time.ts';
import { Input } from '#web/ui/input.tsx';
import { Select } from '#web/ui/select.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';
import { CODE_FIELDS, codeSchema, latestLastDay, toCodeInput, typedTerms } from './code-form-values.ts';
import { codeTerms } from './code-terms.ts';
import { describePrice } from './plan-terms.ts';
import { usePlanChange } from './use-plan-change.ts';

const DURATIONS = [
  { value: 'once', label: 'The first bill' },
  { value: 'repeating', label: 'Some months' },
  { value: 'forever', label: 'Every bill' },
];

/** Stripe bills a trial with $0 at its start, and its documents do not say whether that uses up a discount. */
const ONCE_HINT =
  'Before a free trial, Stripe may take the trial’s bill of $0 for the first one. A code that patients enter on the payment page applies to the first bill after the trial.';

/** Each product on offer with its prices, which tell equal names apart. */
function productsOf({ items }: CatalogueView) {
  const products = new Map<string, { id: string; name: string; prices: string[] }>();
  for (const plan of items.filter(({ offered }) => offered)) {
    const { product: id, name } = plan;
    const prices = [...(products.get(id)?.prices ?? []), describePrice(plan)];
    products.set(id, { id, name, prices });
  }
  return [...products.values()];
}

export function NewCodeDialog({ catalogue, onClose }: { catalogue: CatalogueView; onClose: () => void }) {
  const client = useTRPCClient();
  const change = usePlanChange();
  const { tenant } = useMe();
  // A plan that is archived later can still be deselected.
  const [products] = useState(() => productsOf(catalogue));
  const [maxDay] = useState(() => latestLastDay(localDate(new Date(), tenant.time_zone)));
  // Sending this form again makes no second code.
  const [request_id] = useState(() => crypto.randomUUID());
  const form = useApiForm({
    schema: codeSchema(maxDay),
    names: CODE_FIELDS,
    defaultValues: {
      ...{ code: '', kind: 'percent', value: '', duration: 'once' as const, months: '3', products: [] as string[] },
      ...{ max_redemptions: '', last_day: '', first_time_only: false },
    },
    save: async (values) => {
      const input = { request_id, ...toCodeInput(values) };
      const { code } = await change(() => client.plans.createPromotionCode.mutate(input));
      toast.success(`The code ${code} is valid from now on`);
      onClose();
    },
  });
  const values = form.watch();
  const terms = typedTerms(values);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="New promotion code"
      description="It cannot be changed later, only archived."
    >
      <DialogForm form={form} submitLabel="Make code">
        <FormField name="code" label="Code" required={false} hint="Leave it empty, and Stripe makes one.">
          {(field) => <Input {...field} autoComplete="off" autoCapitalize="characters" spellCheck={false} />}
        </FormField>
        <div className="grid grid-cols-2 gap-3">
          <FormField name="kind" label="Discount in">
            {({ value, onChange }) => (
              <Select
                options={[
                  { value: 'percent', label: 'Percent' },
                  ...catalogue.currencies.map((code) => ({ value: code, label: code.toUpperCase() })),
                ]}
                value={value}
                onValueChange={onChange}
              />
            )}
          </FormField>
          <FormField name="value" label="Discount">
            {(field) => <Input {...field} inputMode="decimal" autoComplete="off" />}
          </FormField>
          <FormField
            name="duration"
            label="On"
            className={values.duration === 'repeating' ? '' : 'col-span-2'}
            hint={values.duration === 'once' && ONCE_HINT}
          >
            {({ value, onChange }) => <Select options={DURATIONS} value={value} onValueChange={onChange} />}
          </FormField>
          {values.duration === 'repeating' && (
            <FormField name="months" label="Months">
              {(field) => <Input {...field} inputMode="numeric" autoComplete="off" />}
            </FormField>
          )}
          <FormField name="max_redemptions" label="Most uses" required={false}>
            {(field) => <Input {...field} inputMode="numeric" autoComplete="off" />}
          </FormField>
          <FormField name="last_day" label="Last day" required={false} hint="In your clinic’s time zone.">
            {(field) => <Input {...field} type="date" max={maxDay} />}
          </FormField>
        </div>
        <FormField name="products" label="For these plans" required={false} hint="Choose none for all plans.">
          {({ value, onChange }) => (
            <fieldset aria-label="For these plans" className="grid gap-2">
              {products.map(({ id, name, prices }) => (
                <Checkbox
                  key={id}
                  label={
                    <>
                      {name} <span className="text-muted">{prices.join(', ')}</span>
                    </>
                  }
                  checked={value.includes(id)}
                  onCheckedChange={(checked) =>
                    onChange(checked ? [...value, id] : value.filter((one: string) => one !== id))
                  }
                />
              ))}
            </fieldset>
          )}
        </FormField>
        <FormField name="first_time_only" label="Who" hideLabel>
          {({ value, onChange }) => (
            <Checkbox
              label="Only for a first payment"
              hint="Patients who have paid anything before cannot use it."
              checked={value === true}
              onCheckedChange={onChange}
            />
          )}
        </FormField>
        <p role="status" className="text-[13px] text-muted">
          {terms
            ? `Patients get ${codeTerms(terms)}.`
            : values.value.trim() === ''
              ? 'Write a discount to see what patients get.'
              : 'Correct the fields to see what patients get.'}
        </p>
      </DialogForm>
    </Dialog>
  );
}
