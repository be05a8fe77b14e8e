import { setTimeout as pause } from 'node:timers/promises';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { SECOND } from '#server/core/clock.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import { AVAILABILITY_TIMEOUT_MS } from './known-days.ts';

/** Returns the result of the work, or throws 503 `provider_unavailable` after `ms`; the work continues. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const over = new AbortController();
  const late = pause(Math.max(0, ms), null, { signal: over.signal }).then(() => {
    throw new SchedulingError(
      'provider_unavailable',
      `${SCHEDULING_PROVIDER.name} did not answer within ${AVAILABILITY_TIMEOUT_MS / SECOND} seconds.`,
      {
        effect: 'none',
      },
    );
  });
  late.catch(() => {});
  work.catch(() => {}); // Prevents an unhandled rejection after the timeout.
  return Promise.race([work, late]).finally(() => over.abort());
}
