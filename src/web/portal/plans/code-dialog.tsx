'use client';
import { useState } from 'react';
import { z } from 'zod';
import type { CatalogueView } from '#contract/plan-changes.ts';
import type { CreatePromotionCodeInput } from '#contract/promotion-code-changes.ts';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { minorUnitsOf } from '#web/ui/parse-money.ts';
import { Select } from '#web/ui/select.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPCClient } from '../../trpc-client.tsx';
import { codeTerms } from './code-terms.ts';
import { wholeNumber } from './plan-form-values.ts';

const MAX_MONTHS = 36;
const DURATIONS = [
  { value: 'once', label: 'The first bill' },
  { value: 'repeating', label: 'Some months' },
  { value: 'forever', label: 'Every bill' },
];

const percentOf = (text: string): number => (/^\d{1,3}(\.\d{1,2})?$/.test(text.trim()) ? Number(text) : Number.NaN);

const CodeValues = z
  .object({
    code: z
      .string()
      .trim()
      .refine((text) => text === '' || /^[A-Za-z0-9-]{3,50}$/.test(text), {
        error: 'Use 3 to 50 letters (A to Z), digits and dashes.',
      }),
    kind: z.string(),
    value: z.string(),
    duration: z.enum(['once', 'repeating', 'forever']),
    months: z.string(),
    products: z.array(z.string()),
    max_redemptions: z
      .string()
      .refine((text) => text.trim() === '' || wholeNumber(text) >= 1, 'Write a whole number, or leave it empty.'),
    last_day: z.string(),
    first_time_only: z.boolean(),
  })
  .superRefine(({ kind, value, duration, months }, context) => {
    const fail = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const percent = percentOf(value);
    if (kind === 'percent' && !(percent > 0 && percent <= 100)) fail('value', 'Write a percentage, such as 20.');
    if (kind !== 'percent' && !(minorUnitsOf(value, kind) > 0)) fail('value', 'Write an amount, such as 10.00.');
    const count = wholeNumber(months);
    if (duration === 'repeating' && !(count >= 1 && count <= MAX_MONTHS))
      fail('months', `Write a whole number from 1 to ${MAX_MONTHS}.`);
  });
type CodeFormValues = z.infer<typeof CodeValues>;

const termsOf = ({ kind, value, duration, months }: CodeFormValues): Parameters<typeof codeTerms>[0] => ({
  percent_off: kind === 'percent' ? percentOf(value) : null,
  amount_off: kind === 'percent' ? null : minorUnitsOf(value, kind),
  currency: kind === 'percent' ? null : kind,
  duration,
  duration_in_months: duration === 'repeating' ? wholeNumber(months) : null,
});

const toInput = (values: CodeFormValues): Omit<CreatePromotionCodeInput, 'request_id'> => ({
  code: values.code || null,
  discount:
    values.kind === 'percent'
      ? { kind: 'percent', percent_off: percentOf(values.value) }
      : { kind: 'amount', amount_off: minorUnitsOf(values.value, values.kind), currency: values.kind },
  duration:
    values.duration === 'repeating'
      ? { kind: 'repeating', months: wholeNumber(values.months) }
      : { kind: values.duration },
  products: values.products,
  max_redemptions: values.max_redemptions.trim() ? wholeNumber(values.max_redemptions) : null,
  last_day: values.last_day || null,
  first_time_only: values.first_time_only,
});

/** One entry for each product on offer, with any number of prices. */
const productsOf = ({ items }: CatalogueView): [id: string, name: string][] => [
  ...new Map(items.filter(({ offered }) => offered).map(({ product, name }) => [product, name])),
];

export function NewCodeDialog({ catalogue, onClose }: { catalogue: CatalogueView; onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useInvalidate('plans');
  // Sending this form again makes no second code.
  const [request_id] = useState(() => crypto.randomUUID());
  const form = useApiForm({
    schema: CodeValues,
    defaultValues: {
      ...{ code: '', kind: 'percent', value: '', duration: 'once' as const, months: '3', products: [] as string[] },
      ...{ max_redemptions: '', last_day: '', first_time_only: false },
    },
    save: async (values) => {
      const { code } = await client.plans.createPromotionCode.mutate({ request_id, ...toInput(values) });
      await refresh();
      toast.success(`The code ${code} is valid from now on`);
      onClose();
    },
  });
  const values = form.watch();
  const terms = termsOf(values);
  const isComplete = (terms.percent_off ?? terms.amount_off ?? Number.NaN) > 0;
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
          <FormField name="duration" label="On" className={values.duration === 'repeating' ? '' : 'col-span-2'}>
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
            {(field) => <Input {...field} type="date" />}
          </FormField>
        </div>
        <FormField name="products" label="For these plans" required={false} hint="Choose none for all plans.">
          {({ value, onChange }) => (
            <fieldset aria-label="For these plans" className="grid gap-2">
              {productsOf(catalogue).map(([id, name]) => (
                <Checkbox
                  key={id}
                  label={name}
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
          {isComplete ? `Patients get ${codeTerms(terms)}.` : 'Write a discount to see what patients get.'}
        </p>
      </DialogForm>
    </Dialog>
  );
}
