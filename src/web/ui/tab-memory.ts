/** What this page knows where the browser keeps nothing for it, as with all cookies blocked: then a reload forgets it. */
const own = new Map<string, string>();

/** What the tab was told to keep under a name, or null. */
export function readKept(key: string): string | null {
  try {
    return window.sessionStorage.getItem(key);
  } catch {
    return own.get(key) ?? null;
  }
}

export function keep(key: string, value: string): void {
  try {
    window.sessionStorage.setItem(key, value);
  } catch {
    own.set(key, value);
  }
}

export function forget(key: string): void {
  own.delete(key);
  try {
    window.sessionStorage.removeItem(key);
  } catch {
    // There is nothing in it.
  }
}
