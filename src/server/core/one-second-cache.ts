import { LRUCache } from 'lru-cache';

/** A revoked credential is rejected within this time. */
const MAX_AGE_MS = 1000;
const MAX_ENTRIES = 20_000;

type OneSecondCache<Value> = {
  get(key: string, load: () => Promise<Value>): Promise<Value>;
  invalidate(key: string): void;
};

/**
 * Caches a value for at most a second, measured from the start of the load, and shares one load between concurrent
 * callers. Uses the monotonic clock: a change of the service's clock must not prolong it.
 */
export function createOneSecondCache<Value>(): OneSecondCache<Value> {
  const entries = new LRUCache<string, { askedAt: number; value: Promise<Value> }>({ max: MAX_ENTRIES });
  return {
    get(key, load) {
      const cached = entries.get(key);
      if (cached && performance.now() - cached.askedAt < MAX_AGE_MS) return cached.value;
      const entry = { askedAt: performance.now(), value: load() };
      entries.set(key, entry);
      entry.value.catch(() => {
        if (entries.peek(key) === entry) entries.delete(key);
      });
      return entry.value;
    },
    invalidate(key) {
      entries.delete(key);
    },
  };
}
