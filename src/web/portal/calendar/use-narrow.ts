'use client';
import { useSyncExternalStore } from 'react';

const PHONES = '(max-width: 767px)';

function subscribe(changed: () => void): () => void {
  const query = window.matchMedia(PHONES);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

/** Returns whether the viewport is as narrow as a phone; null on the server, where that is unknown. */
export const useNarrow = (): boolean | null =>
  useSyncExternalStore<boolean | null>(
    subscribe,
    () => window.matchMedia(PHONES).matches,
    () => null,
  );
