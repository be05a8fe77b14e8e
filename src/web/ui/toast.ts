/** An action that is available while the toast is shown. */
type ToastAction = { label: string; run: () => void };
type Toast = {
  id: number;
  tone: 'success' | 'error';
  title: string;
  description?: string | undefined;
  action?: ToastAction | undefined;
};

const DURATION_MS = 5000;
/** Longer with an action: time to read, to decide and to reach the button by keyboard. */
const DURATION_WITH_ACTION_MS = 10_000;
const MAX_TOASTS = 3;

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

/** Runs a toast's action and dismisses it. */
export function runToastAction(id: number): void {
  const action = toasts.find((toast) => toast.id === id)?.action;
  dismissToast(id);
  action?.run();
}

function show(tone: Toast['tone']) {
  return (title: string, options: { description?: string; action?: ToastAction } = {}): void => {
    lastId += 1;
    const id = lastId;
    change([...toasts, { id, tone, title, ...options }].slice(-MAX_TOASTS));
    setTimeout(() => dismissToast(id), options.action ? DURATION_WITH_ACTION_MS : DURATION_MS);
  };
}

/** A short confirmation. Errors that require an action belong in the form or page. */
export const toast = { success: show('success'), error: show('error') };
