'use client';
import { useEffect } from 'react';

/**
 * Keeps the screen on while a participant waits or talks: a locked phone stops the page. It does nothing where the
 * browser does not support it.
 */
export function useWakeLock(isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return;
    let lock: WakeLockSentinel | null = null;
    let isMounted = true;
    const requestLock = async () => {
      if (!('wakeLock' in navigator) || document.visibilityState !== 'visible') return;
      lock = await navigator.wakeLock.request('screen').catch(() => null);
      if (!isMounted) void lock?.release();
    };
    // The browser releases the lock whenever the page is hidden.
    const onVisible = () => void requestLock();
    void requestLock();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      isMounted = false;
      document.removeEventListener('visibilitychange', onVisible);
      void lock?.release();
    };
  }, [isActive]);
}
