'use client';
import { Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { cn } from './cn.ts';
import { controlStyle } from './input.tsx';

const DEBOUNCE_MS = 200;

type SearchInputProps = {
  label: string;
  value: string;
  onSearch: (text: string) => void;
  className?: string;
};

/** Reports the text after a pause in typing; "/" focuses the field from anywhere on the page. */
export function SearchInput({ label, value, onSearch, className }: SearchInputProps) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onSearch(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onSearch]);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [role=dialog]');
      if (event.key !== '/' || isTyping || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  return (
    <search className={cn('relative block', className)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <input
        ref={input}
        type="search"
        enterKeyHint="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && setText('')}
        className={cn(
          controlStyle,
          'h-8.5 pr-8.5 pl-8.5 max-md:h-10 max-md:pr-10 [&::-webkit-search-cancel-button]:hidden',
        )}
      />
      {text && (
        <button
          type="button"
          aria-label="Clear search"
          onClick={() => {
            setText('');
            input.current?.focus();
          }}
          className="absolute top-1/2 right-1.5 grid size-6 -translate-y-1/2 place-items-center rounded-sm text-muted hover:text-ink max-md:right-0.5 max-md:size-9"
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
    </search>
  );
}
