'use client';
import type { ComponentProps } from 'react';
import { DropdownMenu, type MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { usePermitted } from '../me.tsx';
import type { Needing } from '../permitted.ts';

export type ActionEntry = MenuEntry & Needing;

type ActionMenuProps = Omit<ComponentProps<typeof DropdownMenu>, 'entries'> & { entries: ActionEntry[] };

/** A menu with the entries that the staff user has the permission for; nothing where none is left. */
export function ActionMenu({ entries, ...menu }: ActionMenuProps) {
  const shown = usePermitted()(entries);
  return shown.length > 0 && <DropdownMenu {...menu} entries={shown} />;
}
