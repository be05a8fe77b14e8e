'use client';
import { ChevronDown } from 'lucide-react';
import { DropdownMenu } from './dropdown-menu.tsx';
import { controlStyle } from './input.tsx';
import { filterWidth } from './plain-select.tsx';

type FilterMenuProps = {
  label: string;
  /** The text when no option is chosen: `Any status`. */
  any: string;
  options: { value: string; label: string }[];
  /** The chosen values; an empty list means any. */
  values: string[];
  onChange: (values: string[]) => void;
};

/** A multi-select for a list's toolbar. */
export function FilterMenu({ label, any, options, values, onChange }: FilterMenuProps) {
  const chosen = options.filter((option) => values.includes(option.value));
  const chosenLabel = chosen.length === 0 ? any : chosen.map((option) => option.label).join(', ');
  return (
    <div className={`grid ${filterWidth}`}>
      <DropdownMenu
        label={label}
        align="start"
        trigger={
          <button
            type="button"
            aria-label={`${label}: ${chosenLabel}`}
            className={`${controlStyle} flex h-8.5 items-center justify-between gap-2 max-md:h-10`}
          >
            <span className="truncate">{chosenLabel}</span>
            <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
          </button>
        }
        entries={options.map((option) => ({
          kind: 'check' as const,
          label: option.label,
          checked: values.includes(option.value),
          // In the menu's order, not the order of clicks, so that equal choices have equal URLs.
          onChange: (checked: boolean) =>
            onChange(
              options
                .map(({ value }) => value)
                .filter((value) => (value === option.value ? checked : values.includes(value))),
            ),
        }))}
      />
    </div>
  );
}
