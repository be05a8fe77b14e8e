'use client';
import { Check } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { cn } from './cn.ts';

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'id' | 'onChange'> & {
  label: ReactNode;
  hint?: ReactNode;
  onCheckedChange: (checked: boolean) => void;
};

/** The browser's native checkbox with custom style: it needs no script, and forms and screen readers support it. */
export function Checkbox({ label, hint, className, onCheckedChange, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div className={cn('flex items-start gap-2.5', className)}>
      <span className="relative -m-0.5 -mb-1 grid size-6 shrink-0 place-items-center">
        <input
          type="checkbox"
          id={id}
          {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
          className="peer absolute inset-0 size-6 appearance-none rounded-sm"
          onChange={(event) => onCheckedChange(event.target.checked)}
          {...rest}
        />
        <span
          aria-hidden
          className="pointer-events-none grid size-4 place-items-center rounded-sm border border-field bg-surface text-transparent peer-checked:border-accent peer-checked:bg-accent peer-checked:text-on-accent peer-disabled:opacity-55 max-md:size-5"
        >
          <Check aria-hidden strokeWidth={3} className="size-3 max-md:size-4" />
        </span>
      </span>
      <div className="wrap-anywhere">
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
