import { setTimeout as pause } from 'node:timers/promises';
import { type FailedTenants, sealAudit } from '#server/audit/seal-audit.ts';
import type { Services } from '#server/core/context.ts';

/** How often to look for unsealed audit entries: one step in an index that is nearly always empty. */
const LOOK_MS = 1_000;
/** Without a database the last check ends later; a shutdown does not wait for it. */
const STOP_MS = 1_000;

/**
 * Seals audit entries within about a second of their commit. Every process with a worker does, without waiting for
 * others: an interrupted transaction rolls back, and the next process finds its entries unsealed.
 */
export function startSealing(services: Services): () => Promise<void> {
  const stopping = new AbortController();
  const broken: FailedTenants = new Map();
  let failed = false;
  const sealing = (async () => {
    while (!stopping.signal.aborted) {
      let sealed = 0;
      try {
        sealed = await sealAudit(services, broken);
        failed = false;
      } catch (error) {
        if (!failed)
          services.log.warn({ err: (error as Error).message }, 'audit entries are sealed when it is possible again');
        failed = true;
      }
      if (sealed === 0) await pause(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await Promise.race([sealing, pause(STOP_MS, undefined, { ref: false })]);
  };
}
