'use client';
import { useSyncExternalStore } from 'react';

const PHONES = '(max-width: 767px)';

function subscribe(changed: () => void): () => void {
  const query = window.matchMedia(PHONES);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

/** Whether the page is as narrow as a phone; null while nobody knows, on the server. */
export const useNarrow = (): boolean | null =>
  useSyncExternalStore<boolean | null>(
    subscribe,
    () => window.matchMedia(PHONES).matches,
    () => null,
  );
