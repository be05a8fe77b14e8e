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
    /** Whether this call was made before on the page at this path. */
    isAgain(path: string, { type, path: procedure, input }: Call): boolean {
      turnTo(path);
      const key = JSON.stringify([procedure, input]);
      const again = type === 'query' && asked.has(key);
      asked.add(key);
      return again;
    },
  };
}
