'use client';
import { Switch as Radix } from 'radix-ui';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { cn } from './cn.ts';

type SwitchProps = ComponentProps<typeof Radix.Root> & { label: ReactNode; hint?: ReactNode };

/** A setting that takes effect at once. For a choice inside a form use Checkbox. */
export function Switch({ label, hint, className, ...rest }: SwitchProps) {
  const id = useId();
  return (
    <div className={cn('flex items-start justify-between gap-4', className)}>
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-[13px] text-muted">
            {hint}
          </p>
        )}
      </div>
      <Radix.Root
        id={id}
        {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
        className="h-5 w-9 shrink-0 rounded-full bg-field p-0.5 transition-colors data-[state=checked]:bg-accent disabled:opacity-55"
        {...rest}
      >
        <Radix.Thumb className="block size-4 rounded-full bg-surface shadow-card transition-transform data-[state=checked]:translate-x-4" />
      </Radix.Root>
    </div>
  );
}
