/** Where a session is kept: localStorage, React Native's AsyncStorage, or anything with these three. */
export type AuthStorage = {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
};

export type Vault = {
  read(): Promise<string | null>;
  write(value: string): Promise<void>;
  clear(): Promise<void>;
  /** Drops what only this process remembers, because another tab signed out. */
  forget(): void;
};

/**
 * One entry of a storage. A storage that is full or denied must not end a sign-in half-way: then the entry lives in
 * memory until this page goes, and no older one stays behind for other tabs to use.
 */
export function openVault(storage: AuthStorage, key: string): Vault {
  let memory: { value: string | null } | null = null;
  const remove = async (): Promise<boolean> => {
    try {
      await storage.removeItem(key);
      return true;
    } catch {
      return false;
    }
  };
  const store = async (value: string): Promise<boolean> => {
    try {
      await storage.setItem(key, value);
      return true;
    } catch {
      return false;
    }
  };
  return {
    async read() {
      if (memory) return memory.value;
      try {
        return (await storage.getItem(key)) ?? null;
      } catch {
        return null;
      }
    },
    async write(value) {
      // Room made by the old entry may be what the new one lacked.
      const isStored = (await store(value)) || ((await remove()) && (await store(value)));
      memory = isStored ? null : { value };
    },
    async clear() {
      memory = (await remove()) ? null : { value: null };
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
