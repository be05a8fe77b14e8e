/**
 * Returns a signal that aborts after `ms` milliseconds or with `signal`. Node 20 can garbage-collect
 * a timeout that only `AbortSignal.any` references; the listener keeps it alive.
 */
export function within(ms: number, signal: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  limit.addEventListener('abort', () => {}, { once: true });
  return AbortSignal.any([signal, limit]);
}
