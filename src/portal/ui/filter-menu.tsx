'use client';
import { ChevronDown } from 'lucide-react';
import { Button } from './button.tsx';
import { DropdownMenu } from './dropdown-menu.tsx';

type FilterMenuProps = {
  label: string;
  /** What is said when none is chosen: `Any status`. */
  any: string;
  options: { value: string; label: string }[];
  /** Chosen ones; none is any. */
  values: string[];
  onChange: (values: string[]) => void;
};

/** Several of a few words at once, for a list's toolbar. */
export function FilterMenu({ label, any, options, values, onChange }: FilterMenuProps) {
  const chosen = options.filter((option) => values.includes(option.value));
  const words = chosen.length === 0 ? any : chosen.map((option) => option.label).join(', ');
  return (
    <DropdownMenu
      label={label}
      align="start"
      trigger={
        <Button aria-label={`${label}: ${words}`} className="w-44 min-w-0 justify-between! font-normal max-md:w-40">
          <span className="truncate">{words}</span>
          <ChevronDown aria-hidden className="text-muted" />
        </Button>
      }
      entries={options.map((option) => ({
        kind: 'check' as const,
        label: option.label,
        checked: values.includes(option.value),
        // In the order of the menu, however they were ticked, so that one choice has one address.
        onChange: (checked: boolean) =>
          onChange(
            options
              .map(({ value }) => value)
              .filter((value) => (value === option.value ? checked : values.includes(value))),
          ),
      }))}
    />
  );
}
