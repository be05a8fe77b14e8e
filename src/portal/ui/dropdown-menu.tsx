'use client';
import { Slot } from 'radix-ui';
import { type ComponentType, useRef, useState } from 'react';
import type { DropdownMenuPanelProps, DropdownMenuProps, MenuEntry } from './dropdown-menu-panel.tsx';

// The menu's behaviour loads when it is first wanted, so that a page full of menus starts without it.
export const loadMenuPanel = () => import('./dropdown-menu-panel.tsx').then((module) => module.DropdownMenuPanel);

export type { MenuEntry };

export function DropdownMenu({ trigger, ...menu }: DropdownMenuProps) {
  const [open, setOpen] = useState(false);
  // Not by `dynamic`: React holds back what was waited for by 300 ms, though it be loaded already.
  const [Panel, setPanel] = useState<ComponentType<DropdownMenuPanelProps> | null>(null);
  const show = () => {
    setOpen(true);
    if (Panel) return;
    loadMenuPanel().then(
      (loaded) => setPanel(() => loaded),
      () => setOpen(false),
    );
  };
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
        onClick={show}
      >
        {trigger}
      </Slot.Root>
      {open && Panel && <Panel {...menu} onClose={() => setOpen(false)} button={button} />}
    </span>
  );
}
