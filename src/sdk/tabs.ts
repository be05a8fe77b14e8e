/** How the tabs of one origin hear of each other's sign-in and sign-out. */
export type Tabs = {
  /** @returns stops listening */
  listen(listener: () => void): () => void;
  announce(message: 'signed_in' | 'signed_out'): void;
};

/**
 * In a browser a storage event or a BroadcastChannel message calls the listeners, elsewhere only this process does.
 * @param onSignOut called when another tab signed out
 */
export function watchTabs(key: string, onSignOut: () => void): Tabs {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  // Node has a BroadcastChannel too, which would keep its process alive.
  const isBrowser = typeof window !== 'undefined' && typeof window.addEventListener === 'function';
  const channel = isBrowser && typeof BroadcastChannel === 'function' ? new BroadcastChannel(key) : null;
  if (channel)
    channel.onmessage = ({ data }) => {
      if (data === 'signed_out') onSignOut();
      tell();
    };
  if (isBrowser)
    window.addEventListener('storage', (event) => {
      // A null key is `localStorage.clear()`.
      if (event.key === key || event.key === null) tell();
    });
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce(message) {
      channel?.postMessage(message);
      tell();
    },
  };
}
