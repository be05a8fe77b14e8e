'use client';
import { Search } from 'lucide-react';
import dynamic from 'next/dynamic';
import { type ReactNode, useCallback, useState } from 'react';
import { Badge } from '#portal/ui/badge.tsx';
import type { PalettePatient } from '#portal/ui/command-palette-panel.tsx';
import { IconButton } from '#portal/ui/icon-button.tsx';
import { Kbd } from '#portal/ui/kbd.tsx';
import { Wordmark } from '#portal/ui/logo.tsx';
import type { AsyncSearch } from '#portal/ui/use-async-search.ts';
import { BottomBar } from './bottom-bar.tsx';
import { NavList } from './nav-list.tsx';
import { navigationFor } from './navigation.ts';
import { usePaletteKey } from './use-palette-key.ts';
import { type StaffUser, UserMenu } from './user-menu.tsx';

const CommandPalette = dynamic(() => import('#portal/ui/command-palette.tsx').then((module) => module.CommandPalette), {
  ssr: false,
});
const Sheet = dynamic(() => import('#portal/ui/sheet.tsx').then((module) => module.Sheet), { ssr: false });

export type PortalShellProps = {
  user: StaffUser;
  /** The organisation whose records these are. */
  clinic: string;
  environment: 'sandbox' | 'production';
  searchPatients: AsyncSearch<PalettePatient>;
  children: ReactNode;
};

export function PortalShell({ user, clinic, environment, searchPatients, children }: PortalShellProps) {
  const [paletteOpen, setPaletteOpen] = useState(false);
  const [menuOpen, setMenuOpen] = useState(false);
  usePaletteKey(useCallback(() => setPaletteOpen((open) => !open), []));
  const groups = navigationFor(user.role, environment);
  const badge = environment === 'sandbox' && <Badge tone="warn">Sandbox</Badge>;
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[14.5rem_minmax(0,1fr)] print:block!">
      <a
        href="#content"
        className="sr-only z-70 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 flex h-dvh flex-col gap-4 border-r border-line bg-sunken p-3 max-lg:hidden">
        <div className="flex items-center justify-between px-1.5 pt-1">
          <Wordmark />
          {badge}
        </div>
        <button
          type="button"
          onClick={() => setPaletteOpen(true)}
          className="flex h-8.5 items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-muted shadow-card hover:text-ink"
        >
          <Search aria-hidden className="size-4" />
          <span className="flex-1 text-left">Search</span>
          <Kbd>⌘K</Kbd>
        </button>
        <div className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
          <NavList groups={groups} />
        </div>
        <div>
          <p className="truncate px-1.5 pb-1.5 text-xs text-muted">{clinic}</p>
          <UserMenu user={user} />
        </div>
      </aside>
      <header className="sticky top-0 z-30 flex h-13 items-center justify-between border-b border-line bg-surface px-4 lg:hidden print:hidden">
        <span className="flex items-center gap-2">
          <Wordmark />
          {badge}
        </span>
        <IconButton icon={Search} label="Search" onClick={() => setPaletteOpen(true)} className="-mr-2" />
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto w-full max-w-6xl px-4 pt-5 pb-24 outline-none md:px-8 md:pt-7 lg:pb-12"
      >
        {children}
      </main>
      <BottomBar groups={groups} onMore={() => setMenuOpen(true)} />
      {menuOpen && (
        <Sheet open onOpenChange={setMenuOpen} title={clinic}>
          <div className="flex min-h-0 flex-1 flex-col justify-between gap-4 overflow-y-auto px-3 pb-4">
            <NavList groups={groups} onNavigate={() => setMenuOpen(false)} />
            <UserMenu user={user} />
          </div>
        </Sheet>
      )}
      {paletteOpen && (
        <CommandPalette
          onClose={() => setPaletteOpen(false)}
          entries={groups.flatMap((group) => group.items)}
          searchPatients={searchPatients}
        />
      )}
    </div>
  );
}
