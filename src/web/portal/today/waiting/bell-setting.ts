'use client';
import { useSyncExternalStore } from 'react';

const KEY = 'carelane-bell';
const CHANGED = 'carelane-bell-changed';

/** The sound is on until it is turned off in this browser. */
export const isBellOn = (): boolean => window.localStorage.getItem(KEY) !== 'off';

export function setBell(isOn: boolean): void {
  window.localStorage.setItem(KEY, isOn ? 'on' : 'off');
  window.dispatchEvent(new Event(CHANGED));
}

function follow(changed: () => void): () => void {
  window.addEventListener(CHANGED, changed);
  // Changes by another tab.
  window.addEventListener('storage', changed);
  return () => {
    window.removeEventListener(CHANGED, changed);
    window.removeEventListener('storage', changed);
  };
}

export const useBell = (): boolean => useSyncExternalStore(follow, isBellOn, () => true);
