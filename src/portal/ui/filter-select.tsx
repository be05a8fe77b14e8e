import { ChevronDown } from 'lucide-react';
import { controlStyle } from './input.tsx';
import type { SelectOption } from './select.tsx';

type FilterSelectProps = { label: string; options: SelectOption[]; value: string; onChange: (value: string) => void };

/** The browser's own select, for a list's toolbar: at once on the page, and at home on phones. */
export function FilterSelect({ label, options, value, onChange }: FilterSelectProps) {
  return (
    <div className="relative w-44 max-md:w-40">
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`${controlStyle} h-8.5 appearance-none pr-8 max-md:h-10`}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} className="bg-raised">
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
      />
    </div>
  );
}
