'use client';
import { MoreHorizontal } from 'lucide-react';
import type { ComponentProps, Ref } from 'react';
import { Button } from '#web/ui/button.tsx';
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

type RowMenuProps = {
  /** Names the row, so that screen readers tell the menus of a list apart: "Maria Example, 9:00 AM". */
  of: string;
  entries: ActionEntry[];
  pending?: boolean;
  className?: string;
  ref?: Ref<HTMLButtonElement>;
};

/** The menu of a row, behind three dots. */
export function RowMenu({ of, entries, pending = false, className, ref }: RowMenuProps) {
  const label = `Actions for ${of}`;
  return (
    <ActionMenu
      label={label}
      trigger={
        <Button ref={ref} variant="ghost" size="sm" aria-label={label} pending={pending} className={className}>
          {!pending && <MoreHorizontal aria-hidden />}
        </Button>
      }
      entries={entries}
    />
  );
}
