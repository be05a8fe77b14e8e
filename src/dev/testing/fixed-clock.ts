import type { Clock } from '#server/core/clock.ts';

/** Creates a fixed clock, so that no rate limit window ends during a test. */
export function fixedClock(): Clock {
  const moment = new Date();
  return { now: () => moment };
}
