/** Sign-in and sign-out notifications between the tabs of one origin. */
export type Tabs = {
  /** @returns a function that removes the listener */
  listen(listener: () => void): () => void;
  announce(message: 'signed_in' | 'signed_out'): void;
};

/**
 * Calls the listeners after a storage event or a BroadcastChannel message in a browser; elsewhere only within this
 * process.
 * @param onSignOut called when another tab signed out
 */
export function watchTabs(key: string, onSignOut: () => void): Tabs {
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  // Node has a BroadcastChannel too, which would prevent its process from exiting.
  const isBrowser = typeof window !== 'undefined' && typeof window.addEventListener === 'function';
  const channel = isBrowser && typeof BroadcastChannel === 'function' ? new BroadcastChannel(key) : null;
  if (channel)
    channel.onmessage = ({ data }) => {
      if (data === 'signed_out') onSignOut();
      notify();
    };
  if (isBrowser)
    window.addEventListener('storage', (event) => {
      // The key is null after `localStorage.clear()`.
      if (event.key === key || event.key === null) notify();
    });
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce(message) {
      channel?.postMessage(message);
      notify();
    },
  };
}
