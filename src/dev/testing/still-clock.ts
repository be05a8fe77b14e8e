import type { Clock } from '#server/core/clock.ts';

/** Stands still at the present, so that no window of a rate limit ends in the middle of a test. */
export function stillClock(): Clock {
  const moment = new Date();
  return { now: () => moment };
}
