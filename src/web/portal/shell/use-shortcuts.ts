'use client';
import { useLayoutEffect } from 'react';
import { createShortcuts, type Wish } from './shortcuts.ts';

const FIELDS = 'input, textarea, select, [contenteditable=true], [role=menu], [role=listbox]';
const isTyping = (target: EventTarget | null): boolean =>
  (target instanceof Element && target.closest(FIELDS) !== null) ||
  document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null;

/** Handles the portal's keyboard shortcuts. Listens on the window, so that a page can handle a key first. */
export function useShortcuts(letters: Record<string, string>, onWish: (wish: Wish) => void): void {
  // Applied together with the DOM change: a key pressed while a dialog closes is read by the new state.
  useLayoutEffect(() => {
    const read = createShortcuts(letters);
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const wish = read(event, { isTyping: isTyping(event.target), now: event.timeStamp });
      if (!wish) return;
      event.preventDefault();
      onWish(wish);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [letters, onWish]);
}
