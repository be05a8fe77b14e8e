'use client';
import { Check } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { cn } from './cn.ts';

type CheckboxProps = ComponentProps<typeof Radix.Root> & { label: ReactNode; hint?: ReactNode };

export function Checkbox({ label, hint, className, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div className={cn('flex items-start gap-2.5', className)}>
      <Radix.Root
        id={id}
        {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
        className="group -m-0.5 -mb-1 grid size-6 shrink-0 place-items-center rounded-sm disabled:opacity-55"
        {...rest}
      >
        <span className="grid size-4 place-items-center rounded-sm border border-field bg-surface group-data-[state=checked]:border-accent group-data-[state=checked]:bg-accent max-md:size-5">
          <Radix.Indicator>
            <Check aria-hidden strokeWidth={3} className="size-3 text-on-accent max-md:size-4" />
          </Radix.Indicator>
        </span>
      </Radix.Root>
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className="text-[13px] text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
