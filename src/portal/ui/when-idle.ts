/** A browser that is never idle has to do it too. */
const LATEST_MS = 3000;

/** Does something once the page has nothing else to do; gives what calls it off. */
export function whenIdle(work: () => unknown): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, LATEST_MS);
    return () => clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(() => void work(), { timeout: LATEST_MS });
  return () => window.cancelIdleCallback(handle);
}
