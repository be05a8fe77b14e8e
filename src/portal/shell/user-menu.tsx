'use client';
import { ChevronsUpDown, LogOut } from 'lucide-react';
import { signOut } from 'next-auth/react';
import { Avatar } from '#portal/ui/avatar.tsx';
import { DropdownMenu, MenuItem, MenuLabel, MenuSeparator } from '#portal/ui/dropdown-menu.tsx';
import { ThemeToggle } from '#portal/ui/theme-toggle.tsx';
import type { Role } from './navigation.ts';

export type StaffUser = { name: string; email: string; role: Role };

const ROLE_NAMES: Record<Role, string> = { admin: 'Admin', practitioner: 'Practitioner' };

export function UserMenu({ user }: { user: StaffUser }) {
  return (
    <DropdownMenu
      align="start"
      side="top"
      className="w-56"
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-md p-1.5 text-left hover:bg-hover data-[state=open]:bg-hover"
        >
          <Avatar name={user.name} />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{user.name}</span>
            <span className="block text-xs text-muted">{ROLE_NAMES[user.role]}</span>
          </span>
          <ChevronsUpDown aria-hidden className="size-4 text-muted" />
        </button>
      }
    >
      <MenuLabel>
        <span className="block truncate">{user.email}</span>
      </MenuLabel>
      <ThemeToggle />
      <MenuSeparator />
      <MenuItem icon={LogOut} onSelect={() => signOut({ callbackUrl: '/sign-in' })}>
        Sign out
      </MenuItem>
    </DropdownMenu>
  );
}
