const keyOf = (name: string) => `carelane.playground.${name}`;

/**
 * A browser storage that may be full or denied: then values are held in memory
 * until the page closes.
 */
function openKept(open: () => Storage) {
  const memory = new Map<string, string>();
  return {
    read(name: string): string | null {
      try {
        return memory.get(name) ?? open().getItem(keyOf(name));
      } catch {
        return null;
      }
    },
    /** @returns whether a reload will find it */
    write(name: string, value: string): boolean {
      memory.set(name, value);
      try {
        open().setItem(keyOf(name), value);
        return memory.delete(name);
      } catch {
        return false;
      }
    },
    remove(name: string): void {
      memory.delete(name);
      try {
        open().removeItem(keyOf(name));
      } catch {
        // Nothing was stored there.
      }
    },
  };
}

/** Storage of this tab, over reloads. */
export const tabStorage = openKept(() => window.sessionStorage);
/** Storage of all tabs. */
export const deviceStorage = openKept(() => window.localStorage);
