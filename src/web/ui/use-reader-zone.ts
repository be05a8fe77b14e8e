'use client';
import { useSyncExternalStore } from 'react';

const subscribeToNothing = () => () => {};

/** The reader's IANA time zone. The server does not know it: the first paint uses UTC, and the browser corrects it. */
export function useReaderZone(): string {
  return useSyncExternalStore(
    subscribeToNothing,
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => 'UTC',
  );
}
