'use client';
import { useState } from 'react';

/** The backdrop of a modal. */
export const overlayStyle = 'fixed inset-0 z-50 animate-fade bg-overlay';

/**
 * Returns the focus to the element that opened a modal, or to the page's content when that is gone. Radix knows only
 * its own triggers, and these modals are opened by state. Call it in the component that holds `open`.
 */
export function useReturnFocus(open: boolean): (event: Event) => void {
  const [wasOpen, setWasOpen] = useState(false);
  const [origin, setOrigin] = useState<HTMLElement | null>(null);
  if (open !== wasOpen) {
    setWasOpen(open);
    // During render: a menu whose item opens the modal is removed before an effect runs.
    if (open) setOrigin(originOf(document.activeElement));
  }
  return (event) => {
    event.preventDefault();
    if (origin?.isConnected) origin.focus({ preventScroll: true });
    // What closed the modal may have moved the focus already.
    else if (document.activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true });
  };
}

/** A menu closes with its item, so the menu's button is used. */
function originOf(active: Element | null): HTMLElement | null {
  const isInMenu = active?.closest('[role=menu]');
  return isInMenu
    ? document.querySelector<HTMLElement>('button[aria-haspopup=menu][aria-expanded=true]')
    : (active as HTMLElement | null);
}
