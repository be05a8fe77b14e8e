'use client';
import { Slot } from 'radix-ui';
import { useRef, useState } from 'react';
import type { DropdownMenuProps, MenuEntry } from './dropdown-menu-panel.tsx';
import { useLazyComponent } from './use-lazy-component.ts';

// The menu's code loads on hover, focus or click, so that a page with many menus starts without it.
export const loadMenuPanel = () => import('./dropdown-menu-panel.tsx').then((module) => module.DropdownMenuPanel);

export type { MenuEntry };

export function DropdownMenu({ trigger, ...menu }: DropdownMenuProps) {
  const [open, setOpen] = useState(false);
  const Panel = useLazyComponent(loadMenuPanel, open, () => setOpen(false));
  const button = useRef<HTMLButtonElement>(null);
  return (
    <span className="relative inline-flex min-w-0">
      <Slot.Root
        ref={button}
        aria-haspopup="menu"
        aria-expanded={open}
        data-state={open ? 'open' : 'closed'}
        onPointerEnter={loadMenuPanel}
        onFocus={loadMenuPanel}
        onClick={() => setOpen(true)}
      >
        {trigger}
      </Slot.Root>
      {open && Panel && <Panel {...menu} onClose={() => setOpen(false)} button={button} />}
    </span>
  );
}
