/** Where a session is kept: localStorage, React Native's AsyncStorage, or anything with these three. */
export type AuthStorage = {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
};

export type Vault = {
  read(): Promise<string | null>;
  /**
   * Replaces the entry by what `change` makes of it; null removes it. Changes of one process wait for each other, so
   * none is lost between another's look and write.
   * @returns the entry before
   */
  update(change: (before: string | null) => string | null): Promise<string | null>;
  /** Drops what only this process remembers, because another tab signed out. */
  forget(): void;
};

/**
 * One entry of a storage. A storage that is full or denied must not end a sign-in half-way: then the entry lives in
 * memory until this page goes, and no older one stays behind for other tabs to use.
 */
export function openVault(storage: AuthStorage, key: string): Vault {
  let memory: { value: string | null } | null = null;
  let turn: Promise<unknown> = Promise.resolve();
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
  const keep = async (value: string | null): Promise<boolean> => {
    const remove = () => storage.removeItem(key);
    if (value === null) return succeeds(remove);
    const store = () => storage.setItem(key, value);
    // Room made by the old entry may be what the new one lacked.
    return (await succeeds(store)) || ((await succeeds(remove)) && succeeds(store));
  };
  return {
    read,
    update(change) {
      const done = turn.then(async () => {
        const before = await read();
        const after = change(before);
        if (after !== before) memory = (await keep(after)) ? null : { value: after };
        return before;
      });
      turn = done.catch(() => undefined);
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

/** localStorage where there is one: a browser may deny even to look at it. */
export function browserStorage(): AuthStorage | null {
  try {
    return typeof window === 'undefined' ? null : (window.localStorage ?? null);
  } catch {
    return null;
  }
}
