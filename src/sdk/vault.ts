/** Storage of the session: localStorage, React Native's AsyncStorage, or any object with these three methods. */
export type AuthStorage = {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
};

export type Vault = {
  read(): Promise<string | null>;
  /**
   * Replaces the entry by the result of `change`; null removes it. Changes of one process are serialised, so that none
   * is lost between read and write.
   * @returns the entry before
   */
  update(change: (before: string | null) => string | null): Promise<string | null>;
  /** Drops the value that only this process has in memory, because another tab signed out. */
  forget(): void;
};

/**
 * One entry of a storage. A full or denied storage must not interrupt a sign-in: then the entry is held in memory until
 * the page closes, and an older one is removed so that other tabs do not use it.
 */
export function openVault(storage: AuthStorage, key: string): Vault {
  let memory: { value: string | null } | null = null;
  let lastChange: Promise<unknown> = Promise.resolve();
  const succeeds = async (step: () => unknown): Promise<boolean> => {
    try {
      await step();
      return true;
    } catch {
      return false;
    }
  };
  const read = async (): Promise<string | null> => {
    if (memory) return memory.value;
    try {
      return (await storage.getItem(key)) ?? null;
    } catch {
      return null;
    }
  };
  const persist = async (value: string | null): Promise<boolean> => {
    const remove = () => storage.removeItem(key);
    if (value === null) return succeeds(remove);
    const store = () => storage.setItem(key, value);
    // Removing the old entry may free the room that the new one needs.
    return (await succeeds(store)) || ((await succeeds(remove)) && succeeds(store));
  };
  return {
    read,
    update(change) {
      const done = lastChange.then(async () => {
        const before = await read();
        const after = change(before);
        if (after !== before) memory = (await persist(after)) ? null : { value: after };
        return before;
      });
      lastChange = done.catch(() => undefined);
      return done;
    },
    forget() {
      if (memory) memory = { value: null };
    },
  };
}

export function memoryStorage(): AuthStorage {
  const entries = new Map<string, string>();
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => entries.set(key, value),
    removeItem: (key) => entries.delete(key),
  };
}

/** Returns localStorage if available: a browser may deny even access to the property. */
export function browserStorage(): AuthStorage | null {
  try {
    return typeof window === 'undefined' ? null : (window.localStorage ?? null);
  } catch {
    return null;
  }
}
