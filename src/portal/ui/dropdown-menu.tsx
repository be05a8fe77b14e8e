'use client';
import type { LucideIcon } from 'lucide-react';
import dynamic from 'next/dynamic';
import { Slot } from 'radix-ui';
import { type ReactElement, useRef, useState } from 'react';

// The menu's behaviour loads when it is first wanted, so that a page full of menus starts without it.
const loadPanel = () => import('./dropdown-menu-panel.tsx').then((module) => module.DropdownMenuPanel);
const Panel = dynamic(loadPanel, { ssr: false });

type MenuChoiceOption = { value: string; label: string; icon?: LucideIcon };

export type MenuEntry =
  | { kind: 'label'; label: string }
  | { kind: 'separator' }
  | { kind: 'choice'; label: string; value: string; onChange: (value: string) => void; options: MenuChoiceOption[] }
  | { kind: 'link'; label: string; icon?: LucideIcon; href: string }
  | { kind: 'action'; label: string; icon?: LucideIcon; danger?: boolean; onSelect: () => void };

export type DropdownMenuProps = {
  /** What the menu is for, said by screen readers. */
  label: string;
  /** A button. */
  trigger: ReactElement;
  entries: MenuEntry[];
  align?: 'start' | 'end';
  side?: 'top' | 'bottom';
};

export function DropdownMenu({ trigger, ...menu }: DropdownMenuProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <span className="relative inline-flex min-w-0">
      <Slot.Root
        ref={button}
        aria-haspopup="menu"
        aria-expanded={open}
        data-state={open ? 'open' : 'closed'}
        onPointerEnter={loadPanel}
        onFocus={loadPanel}
        onClick={() => setOpen(true)}
      >
        {trigger}
      </Slot.Root>
      {open && <Panel {...menu} onClose={() => setOpen(false)} button={button} />}
    </span>
  );
}
