'use client';
import { BookOpen, ChevronsUpDown, CircleUser, LogOut } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { Avatar } from '#web/ui/avatar.tsx';
import { DropdownMenu, type MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { useGo } from '#web/ui/unsaved.tsx';
import { useThemeChoice } from '#web/ui/use-theme-choice.ts';
import type { Role } from './navigation.ts';
import { ROLE_NAMES } from './role-names.ts';
import { signOut } from './sign-out.ts';

export type StaffUser = { name: string; email: string; role: Role };

/** For developers who connect the clinic's own software. */
const DOCS: MenuEntry = {
  kind: 'action',
  label: 'API docs',
  icon: BookOpen,
  onSelect: () => window.open('/docs', '_blank', 'noopener'),
};

export function UserMenu({ user }: { user: StaffUser }) {
  const theme = useThemeChoice();
  const router = useRouter();
  const go = useGo();
  return (
    <div className="grid">
      <DropdownMenu
        label="Your account"
        align="start"
        side="top"
        trigger={
          <button
            type="button"
            className="flex w-full min-w-0 items-center gap-2.5 rounded-md p-1.5 text-left hover:bg-hover data-[state=open]:bg-hover"
          >
            <Avatar name={user.name} />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{user.name}</span>
              <span className="block text-xs text-muted">{ROLE_NAMES[user.role]}</span>
            </span>
            <ChevronsUpDown aria-hidden className="size-4 text-muted" />
          </button>
        }
        entries={[
          { kind: 'label', label: user.email },
          theme,
          { kind: 'separator' },
          {
            kind: 'action',
            label: 'Your account',
            icon: CircleUser,
            onSelect: () => go(() => router.push('/settings/account')),
          },
          ...(user.role === 'admin' ? [DOCS] : []),
          { kind: 'action', label: 'Sign out', icon: LogOut, onSelect: () => go(() => void signOut()) },
        ]}
      />
    </div>
  );
}
