'use client';
import { BookOpen, ChevronsUpDown, CircleUser, Keyboard, LogOut, Menu, Search } from 'lucide-react';
import { usePathname, useRouter } from 'next/navigation';
import { type ReactNode, useCallback, useContext, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { Avatar } from '#web/ui/avatar.tsx';
import { IconButton } from '#web/ui/button.tsx';
import { cn } from '#web/ui/cn.ts';
import type { PaletteAction, PaletteHit } from '#web/ui/command-palette.tsx';
import { DropdownMenu, loadMenuPanel, type MenuEntry } from '#web/ui/dropdown-menu.tsx';
import { Kbd } from '#web/ui/kbd.tsx';
import { createKeyBuffer } from '#web/ui/key-buffer.ts';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { Link } from '#web/ui/link.tsx';
import { Wordmark } from '#web/ui/logo.tsx';
import { OfflinePage } from '#web/ui/offline-page.tsx';
import { SandboxBadge } from '#web/ui/sandbox-badge.tsx';
import { LeaveContext, useGuardedNavigation } from '#web/ui/unsaved.tsx';
import type { AsyncSearch } from '#web/ui/use-async-search.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { useThemeChoice } from '#web/ui/use-theme-choice.ts';
import { whenIdle } from '#web/ui/when-idle.ts';
import { ROLE_NAMES, useMay, useMe } from '../me.tsx';
import { signOut } from '../sign-in/sign-out.ts';
import { isCurrent, type NavGroup, navigationFor } from './navigation.ts';

/** Action that a key requests outside of a field. */
type ShortcutAction = 'palette' | 'new' | 'help' | 'next_row' | 'previous_row' | { goTo: string };
export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'repeat'>;

const ROW_KEYS: Record<string, ShortcutAction> = { j: 'next_row', k: 'previous_row' };

/** How long a letter may follow `g`. */
const PREFIX_TIMEOUT_MS = 1500;

/**
 * Interprets keys in sequence. `letters` maps the letter after `g` to a page; with `isTyping`, keys belong to a field
 * or a dialog.
 */
export function createShortcuts(letters: Record<string, string>) {
  let prefixAt = Number.NEGATIVE_INFINITY;
  return (pressed: KeyPress, { isTyping, now }: { isTyping: boolean; now: number }): ShortcutAction | null => {
    const { key, ctrlKey, metaKey, altKey, repeat } = pressed;
    if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') return 'palette';
    if (isTyping || ctrlKey || metaKey || altKey) return null;
    const row = ROW_KEYS[key];
    if (repeat) return row ?? null;
    const isAfterPrefix = now - prefixAt < PREFIX_TIMEOUT_MS;
    prefixAt = key === 'g' && !isAfterPrefix ? now : Number.NEGATIVE_INFINITY;
    const goTo = isAfterPrefix ? letters[key] : undefined;
    if (goTo) return { goTo };
    if (key === '/') return 'palette';
    if (key === 'c') return 'new';
    return key === '?' ? 'help' : (row ?? null);
  };
}

/** For developers who connect the clinic's own software. */
const DOCS: MenuEntry = {
  kind: 'action',
  label: 'API docs',
  icon: BookOpen,
  onSelect: () => window.open('/docs', '_blank', 'noopener'),
};

function UserMenu() {
  const { user } = useMe();
  const isTechnical = useMay('settings:manage');
  const theme = useThemeChoice();
  const router = useRouter();
  const go = useGuardedNavigation();
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
          ...(isTechnical ? [DOCS] : []),
          {
            kind: 'action',
            label: 'Sign out',
            icon: LogOut,
            onSelect: () => go(() => void signOut(), { offline: true }),
          },
        ]}
      />
    </div>
  );
}

const ITEM =
  'flex flex-auto flex-col items-center gap-1 px-1 py-2 text-[11px] font-medium focus-visible:-outline-offset-2';
const ON_PHONES = new Set(['/', '/calendar', '/patients', '/appointments']);

/** Navigation of phones and small tablets: the four daily pages within reach, the rest behind "More". */
function BottomBar({ groups, onMore }: { groups: NavGroup[]; onMore: () => void }) {
  const pathname = usePathname();
  const items = groups.flatMap((group) => group.items).filter((item) => ON_PHONES.has(item.href));
  // The current page is one of those behind "More".
  const isBehind = !items.some(({ href }) => isCurrent(href, pathname));
  return (
    <nav
      aria-label="Quick"
      className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-raised pb-[env(safe-area-inset-bottom)] lg:hidden"
    >
      {items.map(({ href, label, icon: Icon }) => {
        const current = isCurrent(href, pathname);
        return (
          <Link
            key={href}
            href={href}
            aria-current={current ? 'page' : undefined}
            className={cn(ITEM, current ? 'text-accent-ink' : 'text-muted')}
          >
            <Icon aria-hidden className="size-5" />
            {label}
          </Link>
        );
      })}
      <button
        type="button"
        onClick={onMore}
        aria-current={isBehind ? 'true' : undefined}
        className={cn(ITEM, isBehind ? 'text-accent-ink' : 'text-muted')}
      >
        <Menu aria-hidden className="size-5" />
        More
      </button>
    </nav>
  );
}

const FIELDS = 'input, textarea, select, [contenteditable=true], [role=menu], [role=listbox]';
const isTyping = (target: EventTarget | null): boolean =>
  (target instanceof Element && target.closest(FIELDS) !== null) ||
  document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null;

/** Handles the portal's keyboard shortcuts. Listens on the window, so that a page can handle a key first. */
function useShortcuts(letters: Record<string, string>, onShortcut: (action: ShortcutAction) => void): void {
  // Applied together with the DOM change: a key pressed while a dialog closes is read by the new state.
  useLayoutEffect(() => {
    const read = createShortcuts(letters);
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const action = read(event, { isTyping: isTyping(event.target), now: event.timeStamp });
      if (!action) return;
      event.preventDefault();
      onShortcut(action);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [letters, onShortcut]);
}

/** Loaded with the first key; without a connection the focus stays. */
const moveToRow = (step: 1 | -1) => import('./row-keys.ts').then((keys) => keys.moveToRow(step)).catch(() => {});
const loadPalette = () => import('#web/ui/command-palette.tsx').then((module) => module.CommandPalette);
const ShortcutsSheet = lazyComponent(() => import('./shortcuts-sheet.tsx').then((module) => module.ShortcutsSheet));
const Sheet = lazyComponent(() => import('#web/ui/sheet.tsx').then((module) => module.Sheet));

export type PortalShellProps = {
  search: AsyncSearch<PaletteHit>;
  /** Actions of the palette in addition to navigation. */
  actions: PaletteAction[];
  children: ReactNode;
};

export function PortalShell({ search, actions, children }: PortalShellProps) {
  const me = useMe();
  const router = useRouter();
  const leave = useContext(LeaveContext);
  const go = useGuardedNavigation();
  const [palette, setPalette] = useState<'all' | 'new' | null>(null);
  const [helpOpen, setHelpOpen] = useState(false);
  const [menuOpen, setMenuOpen] = useState(false);
  const groups = useMemo(() => navigationFor(me), [me]);
  const items = useMemo(() => groups.flatMap((group) => group.items), [groups]);
  const letters = useMemo(() => Object.fromEntries(items.map(({ letter, href }) => [letter, href])), [items]);
  const [typed] = useState(() =>
    typeof window === 'undefined' ? null : createKeyBuffer(window, () => setPalette(null)),
  );
  const openPalette = useCallback(
    (scope: 'all' | 'new') => {
      // Records keys from this moment on, while the palette loads.
      typed?.start();
      setPalette(scope);
    },
    [typed],
  );
  const closePalette = useCallback(() => {
    typed?.take();
    setPalette(null);
  }, [typed]);
  const isPaletteOpen = palette !== null;
  const canCreate = actions.some(({ isNew }) => isNew);
  const CommandPalette = useLazyComponent(loadPalette, isPaletteOpen, closePalette);
  const onShortcut = useCallback(
    (action: ShortcutAction) => {
      // A dialog with content that is shown only once must not be covered.
      if (leave?.isHeld()) return;
      if (action === 'new' && !canCreate) return;
      if (typeof action === 'object') go(() => router.push(action.goTo));
      else if (action === 'help') setHelpOpen(true);
      else if (action === 'next_row') void moveToRow(1);
      else if (action === 'previous_row') void moveToRow(-1);
      else if (isPaletteOpen) closePalette();
      else openPalette(action === 'new' ? 'new' : 'all');
    },
    [router, leave, go, canCreate, isPaletteOpen, openPalette, closePalette],
  );
  useShortcuts(letters, onShortcut);
  // Preloaded, so that the first opening is as fast as later ones.
  useEffect(() => whenIdle(() => Promise.all([loadPalette(), loadMenuPanel()])), []);
  const all = useMemo(
    () => [
      ...actions,
      { label: 'Show the keys', icon: Keyboard, keywords: ['shortcuts'], run: () => setHelpOpen(true) },
    ],
    [actions],
  );
  const badge = me.environment === 'sandbox' && <SandboxBadge />;
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
          onClick={() => openPalette('all')}
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
          <p className="truncate px-1.5 pb-1.5 text-xs text-muted">{me.tenant.name}</p>
          <UserMenu />
        </div>
      </aside>
      <header className="sticky top-0 z-30 flex h-13 items-center justify-between border-b border-line bg-surface px-4 lg:hidden print:hidden">
        <span className="flex items-center gap-2">
          <Wordmark />
          {badge}
        </span>
        <IconButton icon={Search} label="Search" onClick={() => openPalette('all')} className="-mr-2" />
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
        <Sheet open onOpenChange={setMenuOpen} title={me.tenant.name}>
          <div className="flex min-h-0 flex-1 flex-col justify-between gap-4 overflow-y-auto px-3 pb-4">
            <NavList groups={groups} onNavigate={() => setMenuOpen(false)} />
            <UserMenu />
          </div>
        </Sheet>
      )}
      {palette && typed && CommandPalette && (
        <CommandPalette
          onClose={closePalette}
          onlyNew={palette === 'new'}
          entries={items}
          actions={all}
          search={search}
          takeBufferedKeys={typed.take}
        />
      )}
      <OfflinePage />
      {helpOpen && <ShortcutsSheet items={items} canCreate={canCreate} onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

function NavList({ groups, onNavigate }: { groups: NavGroup[]; onNavigate?: () => void }) {
  const pathname = usePathname();
  return (
    <nav aria-label="Main" className="grid gap-5">
      {groups.map((group) => (
        <div key={group.heading ?? 'main'}>
          {group.heading && <h2 className="mb-1 px-2.5 text-xs font-medium text-muted">{group.heading}</h2>}
          <ul className="grid gap-0.5">
            {group.items.map(({ href, label, icon: Icon }) => {
              const current = isCurrent(href, pathname);
              return (
                <li key={href}>
                  <Link
                    href={href}
                    {...(onNavigate && { onClick: onNavigate })}
                    aria-current={current ? 'page' : undefined}
                    className={cn(
                      'flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium transition-colors max-md:h-11',
                      current ? 'bg-accent-soft text-accent-ink' : 'text-muted hover:bg-hover hover:text-ink',
                    )}
                  >
                    <Icon aria-hidden className="size-4" />
                    {label}
                  </Link>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}
