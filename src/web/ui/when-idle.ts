/** The deadline for a browser that is never idle. */
const DEADLINE_MS = 3000;

/**
 * Runs work when the page is idle. Errors (for example without a connection) are ignored, because the work is requested
 * again on demand.
 * @returns a function that cancels it
 */
export function whenIdle(work: () => unknown): () => void {
  const runWork = async () => {
    try {
      await work();
    } catch {}
  };
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(runWork, DEADLINE_MS);
    return () => clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(runWork, { timeout: DEADLINE_MS });
  return () => window.cancelIdleCallback(handle);
}
