'use client';
import { useState } from 'react';

/**
 * Where the focus goes when a modal closes: back to what opened it, or to the page's content when that is gone.
 * Radix knows only its own triggers, and these modals are opened by state. Must be called where `open` is known.
 */
export function useReturnFocus(open: boolean): (event: Event) => void {
  const [wasOpen, setWasOpen] = useState(false);
  const [origin, setOrigin] = useState<HTMLElement | null>(null);
  if (open !== wasOpen) {
    setWasOpen(open);
    // Now, while rendering: a menu whose item opens the modal is gone from the page by the time of an effect.
    if (open) setOrigin(originOf(document.activeElement));
  }
  return (event) => {
    event.preventDefault();
    const target = origin?.isConnected ? origin : document.getElementById('content');
    target?.focus({ preventScroll: true });
  };
}

/** A menu closes with its item, so its button stands for it. */
function originOf(active: Element | null): HTMLElement | null {
  const isInMenu = active?.closest('[role=menu]');
  return isInMenu
    ? document.querySelector<HTMLElement>('button[aria-haspopup=menu][aria-expanded=true]')
    : (active as HTMLElement | null);
}
