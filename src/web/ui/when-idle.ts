/** The deadline for a browser that is never idle. */
const LATEST_MS = 3000;

/**
 * Runs work when the page is idle. Errors (for example without a connection) are ignored, because the work is requested
 * again on demand.
 * @returns a function that cancels it
 */
export function whenIdle(work: () => unknown): () => void {
  const tryIt = async () => {
    try {
      await work();
    } catch {}
  };
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(tryIt, LATEST_MS);
    return () => clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(tryIt, { timeout: LATEST_MS });
  return () => window.cancelIdleCallback(handle);
}
