import { LRUCache } from 'lru-cache';
import { MINUTE } from '#server/core/clock.ts';

const MAX_TENANTS = 1000;

/** A tenant's zone hardly ever changes, and each read of a patient needs it. */
export const keepForPatients = () => ({ timeZones: new LRUCache<string, string>({ max: MAX_TENANTS, ttl: MINUTE }) });

declare module '#server/core/context.ts' {
  interface Kept {
    patients: ReturnType<typeof keepForPatients>;
  }
}
