'use client';
import { useEffect, useState } from 'react';

/** The whole page on the whole screen: menus and dialogs stand beside the call, and have to be seen too. */
export function useFullScreen(): { isFull: boolean; canBeFull: boolean; toggle: () => void } {
  const [isFull, setFull] = useState(() => document.fullscreenElement !== null);
  useEffect(() => {
    const read = () => setFull(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', read);
    return () => {
      document.removeEventListener('fullscreenchange', read);
      // The way back goes with the call.
      if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined);
    };
  }, []);
  const toggle = () =>
    void (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(() => undefined);
  return { isFull, canBeFull: document.fullscreenEnabled, toggle };
}
