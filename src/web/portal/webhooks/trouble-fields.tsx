'use client';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { FormField } from '#web/ui/form.tsx';
import { Select } from '#web/ui/select.tsx';

const numbers = (most: number, word: (count: number) => string) =>
  Array.from({ length: most + 1 }, (_, count) => ({ value: String(count), label: word(count) }));
const COPIES = numbers(3, (count) => (count === 0 ? 'None' : String(count)));
const LOST = numbers(5, (count) => (count === 0 ? 'None' : `The first ${count === 1 ? 'one' : count}`));
const DELAYS = [0, 500, 1000, 5000, 10_000].map((ms) => ({
  value: String(ms),
  label: ms === 0 ? 'None' : `Up to ${ms / 1000} ${ms === 1000 ? 'second' : 'seconds'}`,
}));

/** Sandbox settings that cause network faults on purpose, to test that a receiver tolerates them. */
export function TroubleFields() {
  return (
    <details className="rounded-md border border-line p-3">
      <summary className="min-h-6 cursor-default rounded-sm font-medium">
        Trouble on purpose, to try your receiver
      </summary>
      <p className="mt-1 text-[13px] text-muted">
        Only a sandbox does this. What networks do to messages now and then happens to these all the time.
      </p>
      <div className="mt-3 grid gap-4 md:grid-cols-2">
        <FormField name="chaos.duplicates" label="More copies of each">
          {({ value, onChange }) => <Select value={value} onValueChange={onChange} options={COPIES} />}
        </FormField>
        <FormField name="chaos.fail_first" label="Tries that get lost">
          {({ value, onChange }) => <Select value={value} onValueChange={onChange} options={LOST} />}
        </FormField>
        <FormField name="chaos.delay_ms" label="Delay of each">
          {({ value, onChange }) => (
            <Select
              value={value}
              onValueChange={onChange}
              options={
                DELAYS.some((delay) => delay.value === value)
                  ? DELAYS
                  : [...DELAYS, { value, label: `Up to ${Number(value) / 1000} seconds` }]
              }
            />
          )}
        </FormField>
        <FormField name="chaos.reorder" label="Order" hideLabel className="self-center">
          {({ value, onChange }) => (
            <Checkbox
              label="Mix up the order"
              hint="Of different patients, visits and subscriptions."
              checked={value === true}
              onCheckedChange={(on) => onChange(on === true)}
            />
          )}
        </FormField>
      </div>
    </details>
  );
}
