'use client';
import { useEffect, useState } from 'react';

/** Makes the whole page full screen, because menus and dialogs are rendered next to the call. */
export function useFullScreen(): { isFull: boolean; canBeFull: boolean; toggle: () => void } {
  const [isFull, setFull] = useState(() => document.fullscreenElement !== null);
  useEffect(() => {
    const read = () => setFull(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', read);
    return () => {
      document.removeEventListener('fullscreenchange', read);
      // Without the call there is no button to leave full screen.
      if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined);
    };
  }, []);
  const toggle = () =>
    void (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(() => undefined);
  return { isFull, canBeFull: document.fullscreenEnabled, toggle };
}
