type Call = { type: string; path: string; input: unknown };

/**
 * Distinguishes queries that a page repeats automatically (by a timer or on window focus) from those that a user's
 * action causes: the first query after a navigation counts as the user's.
 */
export function createRefetchTracker() {
  let page = '';
  const asked = new Set<string>();
  /** Handles a navigation, including to pages without queries. */
  const navigateTo = (path: string) => {
    if (path === page) return;
    page = path;
    asked.clear();
  };
  return {
    turnTo: navigateTo,
    /** Returns true if the page at this path has made the same query before. */
    isRefetch(path: string, { type, path: procedure, input }: Call): boolean {
      navigateTo(path);
      const key = JSON.stringify([procedure, input]);
      const again = type === 'query' && asked.has(key);
      asked.add(key);
      return again;
    },
  };
}
