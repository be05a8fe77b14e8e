'use client';
import { createContext, useContext, useEffect, useId } from 'react';

/** Told by name whether something inside would be lost. */
export type Guard = (id: string, isUnsaved: boolean) => void;
export const GuardContext = createContext<Guard | null>(null);

/**
 * As long as something is typed or chosen that is not saved: the dialog around it asks before it closes, and so does the
 * browser before it leaves the page.
 */
export function useUnsaved(isUnsaved: boolean): void {
  const guard = useContext(GuardContext);
  const id = useId();
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    guard?.(id, true);
    window.addEventListener('beforeunload', ask);
    return () => {
      guard?.(id, false);
      window.removeEventListener('beforeunload', ask);
    };
  }, [guard, id, isUnsaved]);
}
