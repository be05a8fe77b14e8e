/** A browser that is never idle has to do it too. */
const LATEST_MS = 3000;

/**
 * Does something once the page has nothing else to do; gives what calls it off. Where it fails, for want of a connection
 * say, nobody is told: whoever wants it then asks for it again.
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
