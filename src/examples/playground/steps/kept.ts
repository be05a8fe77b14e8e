const keyOf = (name: string) => `carelane.playground.${name}`;

/**
 * A browser's storage that may be full or denied: then what is written lives as
 * long as the page.
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
        // Then nothing was kept there.
      }
    },
  };
}

/** Of this tab, over its reloads. */
export const keptByTab = openKept(() => window.sessionStorage);
/** Of all tabs. */
export const keptByDevice = openKept(() => window.localStorage);
