import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '#server/core/context.ts';
import { createAvailabilityRenewal, renewalIntervalMs } from '#server/scheduling/availability/renew-availability.ts';

/** Requests to the scheduling provider may end later; a shutdown does not wait for them. */
const STOP_MS = 1_000;

/**
 * Refreshes requested availability before it is too old. Every process with a worker is ready, and one at a time does
 * it.
 */
export function startRenewing(services: Services): () => Promise<void> {
  const stopping = new AbortController();
  const renewing = createAvailabilityRenewal(services);
  let failed = false;
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await renewing.look();
        failed = false;
      } catch (error) {
        if (!failed)
          services.log.warn({ err: (error as Error).message }, 'free times are renewed when it is possible again');
        failed = true;
      }
      await pause(Math.min(1_000, renewalIntervalMs(services)), undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await Promise.race([looking.then(() => renewing.stop()), pause(STOP_MS, undefined, { ref: false })]);
  };
}
