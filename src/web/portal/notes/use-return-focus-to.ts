'use client';
import { useEffect, useRef } from 'react';

/** Focuses a button when the form that it has opened closes. */
export function useReturnFocusTo(isOpen: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus({ preventScroll: true });
    wasOpen.current = isOpen;
  }, [isOpen]);
  return button;
}
