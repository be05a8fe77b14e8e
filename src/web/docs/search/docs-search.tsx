'use client';
import { BookOpen, Braces, FileText, Hash, Search, TriangleAlert } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { PaletteHit } from '#web/ui/command-palette.tsx';
import { Kbd } from '#web/ui/kbd.tsx';
import { createKeyBuffer } from '#web/ui/key-buffer.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { whenIdle } from '#web/ui/when-idle.ts';
import { findEntries, loadEntries } from './find-entries.ts';
import type { SearchEntry } from './search-entries.ts';

const ICONS = { Pages: BookOpen, Calls: FileText, Objects: Braces, Sections: Hash, Errors: TriangleAlert };
const loadPalette = () => import('#web/ui/command-palette.tsx').then((module) => module.CommandPalette);
const LABELS = { title: 'Search the docs', placeholder: 'A call, an object, a field, an error…' };

/** The server does not know the platform, so it renders the Ctrl shortcut. */
const useIsApple = () =>
  useSyncExternalStore(
    subscribeToNothing,
    () => /Mac|iPhone|iPad/.test(navigator.platform),
    () => false,
  );
const subscribeToNothing = () => () => {};

type DocsSearchProps = { groups: { links: { href: string; label: string }[] }[] };

/** The search of the docs: opens by its button, ⌘K, Ctrl K or a slash. */
export function DocsSearch({ groups }: DocsSearchProps) {
  const [isOpen, setOpen] = useState(false);
  const isApple = useIsApple();
  const entries = useRef<Promise<SearchEntry[]> | null>(null);
  const [keyBuffer] = useState(() =>
    typeof window === 'undefined' ? null : createKeyBuffer(window, () => setOpen(false)),
  );
  const close = useCallback(() => {
    keyBuffer?.take();
    setOpen(false);
  }, [keyBuffer]);
  const open = useCallback(() => {
    keyBuffer?.start();
    setOpen(true);
  }, [keyBuffer]);
  const CommandPalette = useLazyComponent(loadPalette, isOpen, close);
  useEffect(() => whenIdle(loadPalette), []);
  // A layout effect, so that a key pressed while the dialog closes opens it again, instead of closing it twice.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isChord = (event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === 'k';
      const isSlash = event.key === '/' && !event.metaKey && !event.ctrlKey && !document.querySelector('[role=dialog]');
      if (event.defaultPrevented || (!isChord && !isSlash)) return;
      event.preventDefault();
      if (isOpen) close();
      else open();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [isOpen, open, close]);
  const search = useCallback(async (text: string): Promise<PaletteHit[]> => {
    entries.current ??= loadEntries();
    try {
      return findEntries(await entries.current, text).map((entry) => ({
        ...entry,
        id: entry.href,
        icon: ICONS[entry.group],
      }));
    } catch (error) {
      entries.current = null;
      throw error;
    }
  }, []);
  const pages = useMemo(
    () => groups.flatMap(({ links }) => links.map(({ href, label }) => ({ href, label, icon: BookOpen }))),
    [groups],
  );
  return (
    <>
      <button
        type="button"
        onClick={open}
        className="flex h-8.5 items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-muted shadow-card hover:text-ink max-md:h-10 max-sm:border-0 max-sm:shadow-none"
      >
        <Search aria-hidden className="size-4" />
        <span className="pr-6 max-sm:sr-only">Search</span>
        <span className="min-w-11 text-right max-sm:hidden">
          <Kbd>{isApple ? '⌘K' : 'Ctrl K'}</Kbd>
        </span>
      </button>
      {isOpen && keyBuffer && CommandPalette && (
        <CommandPalette
          onClose={close}
          labels={LABELS}
          entries={pages}
          actions={[]}
          search={search}
          takeBufferedKeys={keyBuffer.take}
        />
      )}
    </>
  );
}
