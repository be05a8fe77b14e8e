'use client';
import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import { type FocusEvent, type ReactElement, type RefObject, useRef } from 'react';
import { cn } from './cn.ts';

type MenuChoiceOption = { value: string; label: string; icon?: LucideIcon };

export type MenuEntry =
  | { kind: 'label'; label: string }
  | { kind: 'separator' }
  | { kind: 'choice'; label: string; value: string; onChange: (value: string) => void; options: MenuChoiceOption[] }
  | { kind: 'check'; label: string; checked: boolean; onChange: (checked: boolean) => void }
  | { kind: 'link'; label: string; icon?: LucideIcon; href: string }
  | { kind: 'action'; label: string; icon?: LucideIcon; danger?: boolean; onSelect: () => void };

export type DropdownMenuProps = {
  /** The purpose of the menu, for screen readers. */
  label: string;
  /** A button. */
  trigger: ReactElement;
  entries: MenuEntry[];
  align?: 'start' | 'end';
  side?: 'top' | 'bottom';
};

type DropdownMenuPanelProps = Omit<DropdownMenuProps, 'trigger'> & {
  onClose: () => void;
  /** The visible button, which gets the focus back. */
  button: RefObject<HTMLButtonElement | null>;
};

/** The open menu of a button that is already on the page: the anchor is an empty box of the button's size. */
export function DropdownMenuPanel(props: DropdownMenuPanelProps) {
  const { label, entries, align = 'end', side = 'bottom', onClose, button } = props;
  // Radix sees only keys pressed after it mounts; the button's focus ring shows whether a key opened the menu.
  const openedByKey = useRef(button.current?.matches(':focus-visible'));
  const enterByKey = ({ target, currentTarget }: FocusEvent<HTMLElement>) => {
    if (target !== currentTarget || !openedByKey.current) return;
    openedByKey.current = false;
    currentTarget.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
  };
  return (
    <Radix.Root defaultOpen onOpenChange={(open) => !open && onClose()}>
      <Radix.Trigger asChild>
        <span aria-hidden tabIndex={-1} className="pointer-events-none absolute inset-0" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          aria-labelledby={undefined}
          onFocus={enterByKey}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            button.current?.focus();
          }}
          className="z-60 min-w-48 animate-rise rounded-lg border border-line bg-raised p-1 shadow-pop outline-none"
        >
          {entries.map((entry, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an open menu's entries do not move
            <Entry key={index} entry={entry} />
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const itemStyle =
  'flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 outline-none select-none data-highlighted:bg-hover max-md:py-2.5 [&_svg]:size-4';

function Entry({ entry }: { entry: MenuEntry }) {
  switch (entry.kind) {
    case 'label':
      return <Radix.Label className="max-w-64 truncate px-2 py-1.5 text-xs text-muted">{entry.label}</Radix.Label>;
    case 'separator':
      return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
    case 'choice':
      return <Choice {...entry} />;
    case 'check':
      return (
        <Radix.CheckboxItem
          checked={entry.checked}
          onCheckedChange={entry.onChange}
          // The menu stays open for further choices.
          onSelect={(event) => event.preventDefault()}
          className={cn(itemStyle, 'pl-7 data-[state=checked]:pl-2')}
        >
          <Radix.ItemIndicator>
            <Check aria-hidden className="-mr-0.5 size-3.5! text-accent-ink" />
          </Radix.ItemIndicator>
          {entry.label}
        </Radix.CheckboxItem>
      );
    case 'link':
      return (
        <Radix.Item asChild className={itemStyle}>
          <a href={entry.href} target="_blank" rel="noreferrer">
            {entry.icon && <entry.icon aria-hidden className="text-muted" />}
            {entry.label}
          </a>
        </Radix.Item>
      );
    case 'action':
      return (
        <Radix.Item onSelect={entry.onSelect} className={cn(itemStyle, entry.danger && 'text-danger-ink')}>
          {entry.icon && <entry.icon aria-hidden className={entry.danger ? '' : 'text-muted'} />}
          {entry.label}
        </Radix.Item>
      );
  }
}

/** One of several options in a row; the menu stays open, so that the effect is visible. */
function Choice({ label, value, onChange, options }: Extract<MenuEntry, { kind: 'choice' }>) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onChange} aria-label={label} className="flex gap-1 p-1">
      {options.map((option) => (
        <Radix.RadioItem
          key={option.value}
          value={option.value}
          onSelect={(event) => event.preventDefault()}
          className="flex flex-1 cursor-default flex-col items-center gap-1 rounded-md px-2 py-1.5 text-xs text-muted outline-none data-highlighted:bg-hover data-[state=checked]:bg-accent-soft data-[state=checked]:text-accent-ink"
        >
          {option.icon && <option.icon aria-hidden className="size-4" />}
          {option.label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}
