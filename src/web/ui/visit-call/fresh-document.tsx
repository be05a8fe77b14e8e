'use client';
import { type ReactNode, useEffect, useState } from 'react';

/**
 * The permission for camera and microphone is a header of the document, which other pages do not have. A client-side
 * navigation to this page therefore reloads it: the content is rendered only in a document that was loaded from this
 * URL.
 */
export function FreshDocument({ children }: { children: ReactNode }) {
  const [isOwn, setOwn] = useState(false);
  useEffect(() => {
    const [opened] = performance.getEntriesByType('navigation');
    if (opened && new URL(opened.name).pathname !== window.location.pathname) window.location.reload();
    else setOwn(true);
  }, []);
  return isOwn ? children : null;
}
