'use client';
import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from './cn.ts';
import { useFieldWiring } from './field.tsx';
import { controlStyle } from './input.tsx';
import type { SelectOption } from './select.tsx';

type PlainSelectProps = Omit<ComponentProps<'select'>, 'onChange' | 'children'> & {
  options: SelectOption[];
  onValueChange: (value: string) => void;
};

/** The browser's native select, for fields inside a page: it needs no script and is familiar on phones. */
export function PlainSelect({ options, onValueChange, className, ...rest }: PlainSelectProps) {
  return (
    <div className={cn('relative', className)}>
      <select
        {...useFieldWiring()}
        {...rest}
        onChange={(event) => onValueChange(event.target.value)}
        className={cn(controlStyle, 'h-8.5 appearance-none truncate pr-7.5 max-md:h-10')}
      >
        {options.map(({ value, label }) => (
          <option key={value} value={value} className="bg-raised">
            {label}
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

type FilterSelectProps = {
  label: string;
  options: SelectOption[];
  value: string;
  onChange: (value: string) => void;
  className?: string;
};

/** Two filters share a row on phones. */
export const filterWidth = 'w-44 max-md:w-[calc(50%-0.25rem)]';

/** A select for a list's toolbar. */
export const FilterSelect = ({ label, onChange, className = filterWidth, ...rest }: FilterSelectProps) => (
  <PlainSelect aria-label={label} onValueChange={onChange} className={className} {...rest} />
);
