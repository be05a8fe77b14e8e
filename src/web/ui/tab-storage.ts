/** Fallback when the browser blocks session storage (all cookies blocked): it does not survive a reload. */
const fallback = new Map<string, string>();

/** Returns the stored value of a key in this tab, or null. */
export function readTabValue(key: string): string | null {
  try {
    return window.sessionStorage.getItem(key);
  } catch {
    return fallback.get(key) ?? null;
  }
}

export function storeTabValue(key: string, value: string): void {
  try {
    window.sessionStorage.setItem(key, value);
  } catch {
    fallback.set(key, value);
  }
}

export function removeTabValue(key: string): void {
  fallback.delete(key);
  try {
    window.sessionStorage.removeItem(key);
  } catch {
    // Storage is blocked, so it is empty.
  }
}
