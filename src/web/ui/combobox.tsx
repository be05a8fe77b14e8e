'use client';
import { Check, Search, X } from 'lucide-react';
import { type KeyboardEvent, type Ref, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { cn } from './cn.ts';
import { useFieldWiring } from './field.tsx';
import { controlStyle } from './input.tsx';
import { type AsyncSearch, useAsyncSearch } from './use-async-search.ts';

const GAP_PX = 4;

/**
 * Shows a `popover="manual"` element in the browser's top layer, below its anchor and as wide, or above when there is
 * more room. It follows the anchor on scroll.
 */
function useAnchoredPopover(
  anchor: RefObject<HTMLElement | null>,
  popover: RefObject<HTMLElement | null>,
  open: boolean,
) {
  useLayoutEffect(() => {
    const [box, list] = [anchor.current, popover.current];
    if (!open || !box || !list) return;
    list.showPopover();
    const updatePosition = () => {
      const { left, top, bottom, width } = box.getBoundingClientRect();
      const above = window.innerHeight - bottom < list.offsetHeight + GAP_PX && top > window.innerHeight - bottom;
      list.style.left = `${left}px`;
      list.style.width = `${width}px`;
      list.style.top = above ? 'auto' : `${bottom + GAP_PX}px`;
      list.style.bottom = above ? `${window.innerHeight - top + GAP_PX}px` : 'auto';
    };
    updatePosition();
    const observer = new ResizeObserver(updatePosition);
    observer.observe(list);
    window.addEventListener('scroll', updatePosition, { capture: true, passive: true });
    window.addEventListener('resize', updatePosition);
    return () => {
      observer.disconnect();
      window.removeEventListener('scroll', updatePosition, { capture: true });
      window.removeEventListener('resize', updatePosition);
    };
  }, [anchor, popover, open]);
}

export type ComboboxOption = { value: string; label: string; hint?: string };

type ComboboxProps = {
  value: ComboboxOption | null;
  onChange: (option: ComboboxOption | null) => void;
  search: AsyncSearch<ComboboxOption>;
  placeholder: string;
  /** Needed only without a surrounding `Field` label. */
  'aria-label'?: string;
  className?: string;
  /** The text field, which a form focuses after a validation error. */
  ref?: Ref<HTMLInputElement>;
};

/**
 * A select with search (ARIA combobox pattern: the focus stays in the text field, arrow keys move through the list).
 */
export function Combobox({ value, onChange, search, placeholder, className, ref, ...aria }: ComboboxProps) {
  const listId = useId();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const anchor = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useAnchoredPopover(anchor, list, open);
  const { results, searching, failed } = useAsyncSearch(text, search, open ? 0 : Number.POSITIVE_INFINITY);
  const choose = (option: ComboboxOption | null) => {
    onChange(option);
    setText('');
    setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!open) return setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((active + step + results.length) % Math.max(1, results.length));
    } else if (event.key === 'Enter' && open) {
      event.preventDefault();
      const option = results[active];
      if (option && !searching) choose(option);
    } else if (event.key === 'Escape' && open) {
      // Closes only the list: a dialog around it checks whether a list was open (see `Dialog`).
      setOpen(false);
    }
  };
  return (
    <div ref={anchor} className={cn('relative', className)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <input
        ref={ref}
        {...useFieldWiring()}
        {...aria}
        role="combobox"
        aria-expanded={open}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={open && results[active] ? `${listId}-${active}` : undefined}
        autoComplete="off"
        placeholder={value ? '' : placeholder}
        value={open ? text : (value?.label ?? '')}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
          setOpen(true);
        }}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
        className={cn(controlStyle, 'h-8.5 pr-8.5 pl-8.5 max-md:h-10 max-md:pr-10')}
      />
      {value && (
        <button
          type="button"
          aria-label="Clear"
          onClick={() => choose(null)}
          className="absolute top-1/2 right-1.5 grid size-6 -translate-y-1/2 place-items-center rounded-sm text-muted hover:text-ink max-md:right-0.5 max-md:size-9"
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
      {open && (
        <div
          ref={list}
          popover="manual"
          className="fixed inset-auto m-0 animate-rise rounded-lg border border-line bg-raised p-1 text-ink shadow-pop"
        >
          <div id={listId} role="listbox" aria-label={placeholder} className="max-h-64 overflow-y-auto">
            {results.map((option, index) => (
              <div
                key={option.value}
                id={`${listId}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={option.value === value?.value}
                // Fires before the input's blur closes the list.
                onPointerDown={(event) => {
                  event.preventDefault();
                  choose(option);
                }}
                onPointerMove={() => setActive(index)}
                className={cn(
                  'flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 max-md:py-2.5',
                  index === active && 'bg-hover',
                )}
              >
                <span className="truncate">{option.label}</span>
                <span className="ml-auto truncate text-[13px] text-muted">{option.hint}</span>
                {option.value === value?.value && <Check aria-hidden className="size-3.5 text-accent-ink" />}
              </div>
            ))}
          </div>
          <p role="status" className="px-2 py-1.5 text-[13px] text-muted empty:hidden">
            {searching && results.length === 0 && 'Searching…'}
            {!searching && failed && 'The search failed. Type again to retry.'}
            {!searching && !failed && results.length === 0 && 'Nothing found.'}
          </p>
        </div>
      )}
    </div>
  );
}
