type Call = { type: string; path: string; input: unknown };

/**
 * Tells what a page asks again by itself, on a timer or when its window is looked at, from what somebody opens: the
 * first time that a page asks after it was opened is somebody's doing.
 */
export function createAskedAgain() {
  let page = '';
  const asked = new Set<string>();
  /** Another page was opened, be it one that has nothing to ask. */
  const turnTo = (path: string) => {
    if (path === page) return;
    page = path;
    asked.clear();
  };
  return {
    turnTo,
    /** Whether all of these calls were made before on the page at this path. */
    isAgain(path: string, calls: Call[]): boolean {
      turnTo(path);
      const keys = calls.map((call) => JSON.stringify([call.path, call.input]));
      const again = calls.every(({ type }, index) => type === 'query' && asked.has(keys[index]!));
      for (const key of keys) asked.add(key);
      return again;
    },
  };
}
