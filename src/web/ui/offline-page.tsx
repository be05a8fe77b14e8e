'use client';
import { useEffect } from 'react';
import { whenIdle } from './when-idle.ts';

/** Has a page of ours shown where the browser would show its own: when there is no connection. */
export function OfflinePage() {
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return;
    // Without it all is as ever, so nobody needs to hear of a browser that refuses.
    return whenIdle(() => navigator.serviceWorker.register('/offline-worker.js'));
  }, []);
  return null;
}
