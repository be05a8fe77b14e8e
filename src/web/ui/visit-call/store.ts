/** An observable value, for `useSyncExternalStore`. */
export type Store<State> = {
  read: () => State;
  subscribe: (listener: () => void) => () => void;
  change: (next: Partial<State>) => void;
};

export function createStore<State extends object>(first: State): Store<State> {
  let state = first;
  const listeners = new Set<() => void>();
  return {
    read: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change(next) {
      state = { ...state, ...next };
      for (const listener of listeners) listener();
    },
  };
}
