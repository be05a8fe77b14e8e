'use client';
import { MAX_PLAN_DESCRIPTION_LENGTH } from '#contract/limits.ts';
import { FormField } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { LongText } from '#web/ui/long-text.tsx';
import { Select } from '#web/ui/select.tsx';
import { INTERVAL_OPTIONS } from './plan-form-values.ts';

export function NameFields({ others = 0 }: { others?: number }) {
  const shared = others > 0 ? `Shared by all ${others + 1} prices of this plan, archived ones too. ` : '';
  return (
    <>
      <FormField name="name" label="Name" hint={`${shared}Patients see it.`}>
        {(field) => <Input {...field} autoComplete="off" />}
      </FormField>
      <FormField
        name="description"
        label="Description"
        required={false}
        hint="For your staff, and for your clinic’s app."
      >
        {(field) => <LongText {...field} value={field.value} limit={MAX_PLAN_DESCRIPTION_LENGTH} rows={2} />}
      </FormField>
    </>
  );
}

export function PriceFields({ currency, currencies }: { currency: string; currencies: string[] }) {
  const options = currencies.map((code) => ({ value: code, label: code.toUpperCase() }));
  return (
    <div className="grid grid-cols-2 gap-3">
      <FormField
        name="unit_amount"
        label={`Price in ${currency.toUpperCase()}`}
        className={options.length > 1 ? '' : 'col-span-2'}
      >
        {(field) => <Input {...field} inputMode="decimal" autoComplete="off" />}
      </FormField>
      {options.length > 1 && (
        <FormField name="currency" label="Currency">
          {({ value, onChange }) => <Select options={options} value={value} onValueChange={onChange} />}
        </FormField>
      )}
      <FormField name="recurring.interval_count" label="Billed every">
        {(field) => <Input {...field} inputMode="numeric" autoComplete="off" />}
      </FormField>
      <FormField name="recurring.interval" label="Period">
        {({ value, onChange }) => <Select options={INTERVAL_OPTIONS} value={value} onValueChange={onChange} />}
      </FormField>
    </div>
  );
}

export function TermFields() {
  return (
    <>
      <FormField
        name="trial_period_in_days"
        label="Free trial in days"
        required={false}
        hint="Leave it empty for none. Subscriptions that run already keep theirs."
      >
        {(field) => <Input {...field} inputMode="numeric" autoComplete="off" />}
      </FormField>
      <FormField
        name="nickname"
        label="Label"
        required={false}
        hint="Only staff see it, to tell the prices of one plan apart."
      >
        {(field) => <Input {...field} autoComplete="off" />}
      </FormField>
    </>
  );
}
