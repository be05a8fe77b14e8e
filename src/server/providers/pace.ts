import { setTimeout as pause } from 'node:timers/promises';

/** Resolves when it is the caller's turn. */
export type Pace = () => Promise<void>;

/** Turns one after the other, never more than so many a second, evenly spread. */
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
