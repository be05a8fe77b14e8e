export type Toast = { id: number; tone: 'success' | 'error'; title: string; description?: string | undefined };

const SHOWN_FOR_MS = 5000;
const MOST_AT_ONCE = 3;

let toasts: Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

export const readToasts = (): Toast[] => toasts;

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const dismissToast = (id: number): void => change(toasts.filter((toast) => toast.id !== id));

function show(tone: Toast['tone']) {
  return (title: string, more: { description?: string } = {}): void => {
    lastId += 1;
    const id = lastId;
    change([...toasts, { id, tone, title, ...more }].slice(-MOST_AT_ONCE));
    setTimeout(() => dismissToast(id), SHOWN_FOR_MS);
  };
}

/** A short confirmation. Errors that need an answer belong in the form or page, not here. */
export const toast = { success: show('success'), error: show('error') };
