import { canReachServer, NO_RESPONSE } from './reach-server.ts';

/** `lost`: the service cannot be reached; `restored`: for a moment after that. */
export type ConnectionState = 'connected' | 'lost' | 'restored';

const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 15_000;
const RESTORED_MS = 4_000;

/**
 * Tracks whether the service can be reached. A failed request or an event of the browser is only the reason to ask; while
 * the connection is lost, it asks again and again.
 *
 * Dispatches the browser's `offline` and `online` for a loss that the browser does not notice: Next, TanStack Query,
 * drafts and live changes follow these.
 */
export function createConnection(canReach: () => Promise<boolean> = canReachServer) {
  let state: ConnectionState = 'connected';
  let waitMs = MIN_WAIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let checking: Promise<void> | null = null;
  let isListening = false;
  const listeners = new Set<() => void>();

  function change(next: ConnectionState): void {
    if (next === state) return;
    const event = next === 'lost' ? 'offline' : state === 'lost' ? 'online' : null;
    state = next;
    for (const listener of listeners) listener();
    if (event) window.dispatchEvent(new Event(event));
  }

  async function runCheck(): Promise<void> {
    clearTimeout(timer);
    const isReached = await canReach();
    if (!isListening) return;
    if (!isReached) {
      change('lost');
      timer = setTimeout(check, waitMs * (0.5 + Math.random() / 2));
      waitMs = Math.min(2 * waitMs, MAX_WAIT_MS);
    } else {
      waitMs = MIN_WAIT_MS;
      if (state === 'connected') return;
      change('restored');
      timer = setTimeout(() => change('connected'), RESTORED_MS);
    }
  }
  /** Asks now; once, however many want to know. */
  function check(): Promise<void> {
    checking ??= runCheck().finally(() => {
      checking = null;
    });
    return checking;
  }

  const onBrowserEvent = ({ isTrusted }: Event) => isTrusted && void check();
  const onVisible = () => state === 'lost' && document.visibilityState === 'visible' && void check();
  const onNoResponse = () => void check();

  return {
    read: (): ConnectionState => state,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    check,
    /** @returns a function that stops listening */
    listen(): () => void {
      isListening = true;
      window.addEventListener('online', onBrowserEvent);
      window.addEventListener('offline', onBrowserEvent);
      window.addEventListener(NO_RESPONSE, onNoResponse);
      document.addEventListener('visibilitychange', onVisible);
      if (!navigator.onLine) void check();
      return () => {
        isListening = false;
        clearTimeout(timer);
        window.removeEventListener('online', onBrowserEvent);
        window.removeEventListener('offline', onBrowserEvent);
        window.removeEventListener(NO_RESPONSE, onNoResponse);
        document.removeEventListener('visibilitychange', onVisible);
      };
    },
  };
}

export const connection = createConnection();
