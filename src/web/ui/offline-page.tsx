'use client';
import { useEffect } from 'react';
import { whenIdle } from './when-idle.ts';

/** Registers the service worker that shows our own page when there is no connection. */
export function OfflinePage() {
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return;
    // Errors are ignored: without a service worker the browser shows its own offline page.
    return whenIdle(() => navigator.serviceWorker.register('/offline-worker.js'));
  }, []);
  return null;
}
