'use client';
import { Check, ChevronDown } from 'lucide-react';
import { Select as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from './cn.ts';
import { useFieldWiring } from './field.tsx';
import { controlStyle } from './input.tsx';
import { usePageNonce } from './page-nonce.tsx';

export type SelectOption = { value: string; label: string; hint?: ReactNode; disabled?: boolean };

type SelectProps = {
  options: SelectOption[];
  value?: string | undefined;
  onValueChange?: (value: string) => void;
  placeholder?: string;
  disabled?: boolean;
  name?: string;
  /** Needed only without a surrounding `Field` label. */
  'aria-label'?: string;
  className?: string;
};

export function Select({
  options,
  value,
  onValueChange,
  placeholder = 'Choose…',
  disabled,
  name,
  className,
  ...aria
}: SelectProps) {
  const nonce = usePageNonce();
  return (
    <Radix.Root
      value={value ?? ''}
      {...(onValueChange && { onValueChange })}
      {...(disabled !== undefined && { disabled })}
      {...(name && { name })}
    >
      <Radix.Trigger
        {...useFieldWiring()}
        {...aria}
        className={cn(
          controlStyle,
          'flex h-8.5 items-center justify-between gap-2 text-left data-placeholder:text-muted max-md:h-10',
          className,
        )}
      >
        <span className="truncate">
          <Radix.Value placeholder={placeholder} />
        </span>
        <Radix.Icon asChild>
          <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
        </Radix.Icon>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          className="z-60 max-h-80 min-w-(--radix-select-trigger-width) animate-rise overflow-hidden rounded-lg border border-line bg-raised shadow-pop"
        >
          <Radix.Viewport className="p-1" {...(nonce && { nonce })}>
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled ?? false}
                className="flex cursor-default items-center gap-2 rounded-md py-1.5 pr-2 pl-7 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover data-[state=checked]:pl-2 max-md:py-2.5"
              >
                <Radix.ItemIndicator>
                  <Check aria-hidden className="-mr-0.5 size-3.5 text-accent-ink" />
                </Radix.ItemIndicator>
                <Radix.ItemText>{option.label}</Radix.ItemText>
                {option.hint && <span className="ml-auto pl-4 text-xs text-muted">{option.hint}</span>}
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
