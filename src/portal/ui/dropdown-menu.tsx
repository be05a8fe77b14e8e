'use client';
import type { LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from './cn.ts';

const itemStyle =
  'flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover max-md:py-2.5 [&_svg]:size-4 [&_svg]:text-muted';

type DropdownMenuProps = {
  trigger: ReactNode;
  align?: 'start' | 'end';
  side?: 'top' | 'bottom';
  className?: string;
  children: ReactNode;
};

export function DropdownMenu({ trigger, align = 'end', side = 'bottom', className, children }: DropdownMenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className={cn(
            'z-60 min-w-48 animate-rise rounded-lg border border-line bg-raised p-1 shadow-pop outline-none',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type MenuItemProps = ComponentProps<typeof Radix.Item> & { icon?: LucideIcon; danger?: boolean };

export function MenuItem({ icon: Icon, danger, className, children, ...rest }: MenuItemProps) {
  // With asChild the caller's own element (a link) is the item, so nothing may stand beside it.
  return (
    <Radix.Item className={cn(itemStyle, danger && 'text-danger-ink [&_svg]:text-current', className)} {...rest}>
      {Icon && !rest.asChild ? <Icon aria-hidden /> : null}
      {children}
    </Radix.Item>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 py-1.5 text-xs text-muted">{children}</Radix.Label>;
}

export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
}

type MenuChoiceProps = {
  label: string;
  value: string;
  onValueChange: (value: string) => void;
  options: { value: string; label: string; icon?: LucideIcon }[];
};

/** One of several, as radio items: a row of small segments that keeps the menu open. */
export function MenuChoice({ label, value, onValueChange, options }: MenuChoiceProps) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onValueChange} aria-label={label} className="flex gap-1 p-1">
      {options.map(({ value: option, label: name, icon: Icon }) => (
        <Radix.RadioItem
          key={option}
          value={option}
          onSelect={(event) => event.preventDefault()}
          className="flex flex-1 cursor-default flex-col items-center gap-1 rounded-md px-2 py-1.5 text-xs text-muted outline-none data-highlighted:bg-hover data-[state=checked]:bg-accent-soft data-[state=checked]:text-accent-ink"
        >
          {Icon && <Icon aria-hidden className="size-4" />}
          {name}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}
