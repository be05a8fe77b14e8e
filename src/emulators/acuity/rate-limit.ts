import { acuityError } from './errors.ts';

export interface RateLimit {
  perSecond: number;
  concurrent: number;
}

/** Acuity's published limits, per client address and not per account. */
export const PUBLISHED_LIMIT: RateLimit = { perSecond: 10, concurrent: 20 };

const SECOND_MS = 1000;
const MAX_ADDRESSES = 1000;

/** Limits in real time instead of the emulator's clock, because clients wait in real time. */
export function createRateLimiter(limit: () => RateLimit | null) {
  const started = new Map<string, number[]>();
  const running = new Map<string, number>();

  return async <T>(address: string, work: () => Promise<T>): Promise<T> => {
    const bounds = limit();
    if (!bounds) return work();
    const now = performance.now();
    const recent = (started.get(address) ?? []).filter((at) => now - at < SECOND_MS);
    const open = running.get(address) ?? 0;
    if (recent.length >= bounds.perSecond || open >= bounds.concurrent) throw acuityError('too_many_requests');
    if (started.size > MAX_ADDRESSES) started.clear();
    started.set(address, [...recent, now]);
    running.set(address, open + 1);
    try {
      return await work();
    } finally {
      const remaining = (running.get(address) ?? 1) - 1;
      if (remaining > 0) running.set(address, remaining);
      else running.delete(address);
    }
  };
}
