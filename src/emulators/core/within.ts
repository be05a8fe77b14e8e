/**
 * A signal that aborts after some milliseconds, or with another signal. Node 20 loses a timeout that only AbortSignal.any
 * refers to when the garbage collector runs; one with a listener is kept.
 */
export function within(ms: number, signal: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  limit.addEventListener('abort', () => {}, { once: true });
  return AbortSignal.any([signal, limit]);
}
