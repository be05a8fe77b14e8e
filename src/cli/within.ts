/**
 * Returns a signal that aborts after some milliseconds, or with another signal. Node 20 loses a timeout that only
 * AbortSignal.any references when the garbage collector runs; a listener prevents this.
 */
export function within(ms: number, signal: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  limit.addEventListener('abort', () => {}, { once: true });
  return AbortSignal.any([signal, limit]);
}
