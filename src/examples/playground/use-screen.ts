'use client';
import { useCallback, useEffect, useState } from 'react';
import { FIRST, type Go, SCREENS, type Screen } from './screen.ts';
import { clearIdempotencyKeys } from './steps/idempotency.ts';
import { tabStorage } from './steps/storage.ts';
import type { Session } from './use-session.ts';

const NAME = 'screen';

function readStored(): Screen | null {
  try {
    const screen: Screen | null = JSON.parse(tabStorage.read(NAME) ?? 'null');
    return screen && screen.at in SCREENS ? screen : null;
  } catch {
    return null;
  }
}

/** Returns the current screen, which survives a reload unless the user signed in or out since. */
export function useScreen({ is }: Session): [Screen, Go] {
  // Null while the session is not known.
  const isSignedIn = is === 'in' || is === 'out' ? is === 'in' : null;
  const [chosen, setChosen] = useState<Screen | null>(readStored);
  const go = useCallback((screen: Screen) => {
    clearIdempotencyKeys();
    tabStorage.write(NAME, JSON.stringify(screen));
    setChosen(screen);
  }, []);
  const fits = chosen !== null && (isSignedIn === null || SCREENS[chosen.at].isInside === isSignedIn);
  useEffect(() => {
    if (fits) return;
    tabStorage.remove(NAME);
    setChosen(null);
  }, [fits]);
  return [fits ? chosen : FIRST[isSignedIn ? 'inside' : 'outside'], go];
}
