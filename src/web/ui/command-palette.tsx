'use client';
import { Command } from 'cmdk';
import { LoaderCircle, type LucideIcon, Search } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Avatar } from './avatar.tsx';
import { Kbd } from './kbd.tsx';
import type { BufferedKeys } from './key-buffer.ts';
import { overlayStyle, useReturnFocus } from './modal.ts';
import { useGuardedNavigation } from './unsaved.tsx';
import { type AsyncSearch, useAsyncSearch } from './use-async-search.ts';

type PaletteEntry = { label: string; href: string; icon: LucideIcon; keywords?: string[]; letter?: string };
/** An action of the palette; `isNew` marks actions that create something. */
export type PaletteAction = {
  label: string;
  icon: LucideIcon;
  keywords?: string[];
  isNew?: true;
  run: () => void;
};
/** A search result. Results of one group are listed together. */
export type PaletteHit = {
  id: string;
  group: string;
  label: string;
  hint: string;
  href: string;
  /** Default: the initials of the label. */
  icon?: LucideIcon;
};

type PaletteLabels = { title: string; placeholder: string };
const SEARCH_LABELS: PaletteLabels = {
  title: 'Find something or do something',
  placeholder: 'Find or do something…',
};
const NEW_LABELS: PaletteLabels = { title: 'What is new?', placeholder: 'What is new?' };
/** The title and the placeholder of a palette. */
const paletteLabels = ({ labels, onlyNew }: Pick<PaletteProps, 'labels' | 'onlyNew'>): PaletteLabels =>
  labels ?? (onlyNew ? NEW_LABELS : SEARCH_LABELS);

type PaletteProps = {
  onClose: () => void;
  entries: PaletteEntry[];
  actions: PaletteAction[];
  search: AsyncSearch<PaletteHit>;
  /** Returns the keys that were typed before the panel had loaded. */
  takeBufferedKeys: () => BufferedKeys;
  /** Offers only actions that create something. */
  onlyNew?: boolean;
  /** Overrides the title and the placeholder. */
  labels?: PaletteLabels;
};

const MIN_LETTERS = 2;
const itemStyle =
  'flex cursor-default items-center gap-3 rounded-md px-2.5 py-2 select-none aria-selected:bg-hover max-md:py-2.5';
const groupStyle =
  '**:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:py-1.5 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:text-muted';

const has = ({ label, keywords = [] }: { label: string; keywords?: string[] }, words: string) =>
  [label, ...keywords].some((word) => word.toLowerCase().includes(words));

function CommandPalettePanel(props: PaletteProps) {
  const { onClose, entries, actions, search, takeBufferedKeys, onlyNew = false } = props;
  const router = useRouter();
  const leaveFor = useGuardedNavigation();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState('');
  /** Enter was pressed before the results arrived. */
  const [isEntered, setEntered] = useState(false);
  const { results, searching, failed } = useAsyncSearch(text, search, onlyNew ? Number.POSITIVE_INFINITY : MIN_LETTERS);
  const words = text.trim().toLowerCase();
  const matchingActions = actions.filter((action) => (!onlyNew || action.isNew) && has(action, words));
  const pages = onlyNew ? [] : entries.filter((entry) => has(entry, words));
  const first = results[0]?.id ?? matchingActions[0]?.label ?? pages[0]?.href ?? '';

  useLayoutEffect(() => {
    const typed = takeBufferedKeys();
    input.current?.focus();
    if (typed.text) setText(typed.text);
    if (typed.entered) setEntered(true);
  }, [takeBufferedKeys]);
  useEffect(() => setChosen(first), [first]);

  const go = (href: string) => {
    onClose();
    leaveFor(() => router.push(href));
  };
  const run = (action: PaletteAction) => {
    onClose();
    action.run();
  };
  const choose = (id: string) => {
    const hit = results.find((result) => result.id === id);
    const action = matchingActions.find((candidate) => candidate.label === id);
    if (hit) go(hit.href);
    else if (action) run(action);
    else if (id) go(id);
  };
  const isReady = !searching && text !== '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the results have arrived
  useEffect(() => {
    if (!isEntered || !isReady) return;
    setEntered(false);
    choose(first);
  }, [isEntered, isReady, first]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !searching) return;
    event.preventDefault();
    setEntered(true);
  };

  const Icon = searching ? LoaderCircle : Search;
  const groups = [...new Set(results.map(({ group }) => group))];
  const { title, placeholder } = paletteLabels(props);
  return (
    <Command label={title} shouldFilter={false} loop value={chosen} onValueChange={setChosen} onKeyDown={onKeyDown}>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Icon aria-hidden className={`size-4 shrink-0 text-muted ${searching ? 'animate-spin' : ''}`} />
        <Command.Input
          ref={input}
          value={text}
          onValueChange={setText}
          placeholder={placeholder}
          className="h-12 w-full min-w-0 bg-transparent text-[15px] outline-none max-md:text-base"
        />
        <Kbd>esc</Kbd>
      </div>
      <Command.List className="max-h-[min(24rem,60vh)] overflow-y-auto p-1.5">
        {failed && (
          <p role="alert" className="px-2.5 py-2 text-danger-ink">
            The search did not work. Try again.
          </p>
        )}
        {!searching && (
          <Command.Empty className="px-2.5 py-6 text-center text-muted">Nothing found for “{text}”.</Command.Empty>
        )}
        {groups.map((group) => (
          <Command.Group key={group} heading={group} className={groupStyle}>
            {results
              .filter((hit) => hit.group === group)
              .map((hit) => (
                <Item key={hit.id} id={hit.id} onSelect={() => go(hit.href)} icon={hit.icon ?? hit.label}>
                  <span className="flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-3">
                    <span className="truncate font-medium">{hit.label}</span>
                    <span className="truncate text-[13px] text-muted">{hit.hint}</span>
                  </span>
                </Item>
              ))}
          </Command.Group>
        ))}
        {matchingActions.length > 0 && (
          <Command.Group heading={onlyNew ? 'New' : 'Do'} className={groupStyle}>
            {matchingActions.map((action) => (
              <Item key={action.label} id={action.label} onSelect={() => run(action)} icon={action.icon}>
                {action.label}
              </Item>
            ))}
          </Command.Group>
        )}
        {pages.length > 0 && (
          <Command.Group heading="Go to" className={groupStyle}>
            {pages.map((page) => (
              <Item key={page.href} id={page.href} onSelect={() => go(page.href)} icon={page.icon}>
                <span className="flex-1">{page.label}</span>
                {page.letter && (
                  <span aria-hidden className="flex gap-1">
                    <Kbd>g</Kbd>
                    <Kbd>{page.letter}</Kbd>
                  </span>
                )}
              </Item>
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command>
  );
}

type ItemProps = { id: string; onSelect: () => void; icon: LucideIcon | string; children: ReactNode };

/** With an icon, or the initials of a name. */
function Item({ id, onSelect, icon: Icon, children }: ItemProps) {
  return (
    <Command.Item value={id} onSelect={onSelect} className={itemStyle}>
      {typeof Icon === 'string' ? (
        <Avatar name={Icon} />
      ) : (
        <span className="grid size-7 shrink-0 place-items-center">
          <Icon aria-hidden className="size-4 text-muted" />
        </span>
      )}
      {children}
    </Command.Item>
  );
}

/**
 * Dialog for search, actions and navigation. It loads when the page is idle, so that it does not delay the first load.
 */
export function CommandPalette(panel: PaletteProps) {
  const returnFocus = useReturnFocus(true);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && panel.onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={overlayStyle} />
        <Dialog.Content
          onCloseAutoFocus={returnFocus}
          aria-describedby={undefined}
          className="fixed inset-x-3 top-3 z-50 mx-auto max-w-xl animate-rise overflow-hidden rounded-xl border border-line bg-raised shadow-modal outline-none md:top-[14vh]"
        >
          <Dialog.Title className="sr-only">{paletteLabels(panel).title}</Dialog.Title>
          <CommandPalettePanel {...panel} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
