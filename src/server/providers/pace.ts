import { setTimeout as pause } from 'node:timers/promises';

/** Resolves at the caller's turn. */
export type Pace = () => Promise<void>;

/** Creates evenly spaced turns, at most `perSecond` a second. */
export function createPace(perSecond: number): Pace {
  const spacingMs = 1000 / perSecond;
  let nextAt = 0;
  return async () => {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + spacingMs;
    if (at > now) await pause(at - now, undefined, { ref: false });
  };
}
