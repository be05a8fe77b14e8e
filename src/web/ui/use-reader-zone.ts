'use client';
import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** The reader's IANA time zone. The server does not know it: the first paint uses UTC, and the browser corrects it. */
export function useReaderZone(): string {
  return useSyncExternalStore(
    never,
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => 'UTC',
  );
}
