'use client';
import { type ReactNode, useEffect, useState } from 'react';

/**
 * What may use camera and microphone is said with a document, and other pages may not. Who comes to this one from another
 * without a new document gets one: it is shown only in a document that was opened at its own address.
 */
export function OwnDocument({ children }: { children: ReactNode }) {
  const [isOwn, setOwn] = useState(false);
  useEffect(() => {
    const [opened] = performance.getEntriesByType('navigation');
    if (opened && new URL(opened.name).pathname !== window.location.pathname) window.location.reload();
    else setOwn(true);
  }, []);
  return isOwn ? children : null;
}
