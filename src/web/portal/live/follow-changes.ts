import type { LiveChange } from '#contract/event-types.ts';
import { reportNoResponse } from '#web/ui/reach-server.ts';
import { FORBIDDEN, SIGNED_IN_AGAIN, SIGNED_OUT } from '../../trpc-client.tsx';

/** Kinds of data that other users changed, and that must be refetched. */
export type Outdated =
  | 'patient'
  | 'appointment'
  | 'subscription'
  | 'message'
  | 'visit'
  | 'task'
  | 'note'
  | 'integration'
  | 'events';
export type Changes = LiveChange[] | 'all';

const ALL: Outdated[] = [
  'patient',
  'appointment',
  'subscription',
  'message',
  'visit',
  'task',
  'note',
  'integration',
  'events',
];
/** Delay that batches related changes. */
const BATCH_DELAY_MS = 100;
/** Minimum interval between refreshes under load. */
const MIN_INTERVAL_MS = 1_000;

/** Merging two records moves all that belongs to one of them. */
const outdatedBy = (changes: Changes): Outdated[] =>
  changes === 'all' || changes.some(({ topic }) => topic === 'merged')
    ? ALL
    : ALL.filter((kind) => kind === 'events' || changes.some(({ type }) => type === kind));

/** Batches changes until a refresh is due and the page is visible. */
export function batchChanges(refresh: (outdated: Set<Outdated>) => void) {
  const pending = new Set<Outdated>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  function flush(): void {
    timer = undefined;
    // Waiting patients are announced in hidden tabs as well; everything else waits until the tab is visible.
    const isHidden = document.visibilityState === 'hidden';
    const outdated = new Set([...pending].filter((kind) => !isHidden || kind === 'visit'));
    if (outdated.size === 0) return;
    for (const kind of outdated) pending.delete(kind);
    lastAt = Date.now();
    refresh(outdated);
  }
  const onVisible = () => flush();
  document.addEventListener('visibilitychange', onVisible);
  return {
    add(changes: Changes): void {
      for (const kind of outdatedBy(changes)) pending.add(kind);
      timer ??= setTimeout(flush, Math.max(BATCH_DELAY_MS, lastAt + MIN_INTERVAL_MS - Date.now()));
    },
    stop(): void {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}

const ADDRESS = '/api/live';
/** Interval of the server's heartbeats. */
const HEARTBEAT_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 3 * HEARTBEAT_MS;
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** How long changes are buffered for a tab that opens while another one listens. */
const BUFFER_MS = 60_000;

/** Message between tabs: new changes, or a request for changes since a time. */
type Message = { news: Changes } | { since: number };

/**
 * Follows changes made by other users. One tab of a browser listens and broadcasts to the others; when it is closed,
 * the next one takes over.
 * @param owner the tenant and the user
 * @returns a function that stops following
 */
export function followChanges(owner: string, refresh: (outdated: Set<Outdated>) => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const batch = batchChanges(refresh);
  const channel = new BroadcastChannel(`carelane-live/${owner}`);
  const buffer: { at: number; news: Changes }[] = [];
  /** No change before this time was missed; initially the time at which the page was requested. */
  let completeUntil = performance.timeOrigin;
  let isListening = false;

  function receive(news: Changes): void {
    completeUntil = Date.now();
    batch.add(news);
  }
  function broadcast(news: Changes): void {
    const now = Date.now();
    buffer.push({ at: now, news });
    while (buffer[0] && buffer[0].at < now - BUFFER_MS) buffer.shift();
    channel.postMessage({ news } satisfies Message);
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('news' in data) return receive(data.news);
    if (!isListening) return;
    for (const { at, news } of buffer) if (at >= data.since) channel.postMessage({ news } satisfies Message);
  };
  channel.postMessage({ since: completeUntil } satisfies Message);

  /** Holds one connection until it ends. */
  function listen(): Promise<void> {
    const age = Math.ceil((Date.now() - completeUntil) / 1000);
    const source = new EventSource(`${ADDRESS}?${new URLSearchParams({ age: `${Math.max(0, age)}`, user: owner })}`);
    let timeout: ReturnType<typeof setTimeout> | undefined;
    return new Promise<void>((resolve) => {
      const restartTimeout = () => {
        clearTimeout(timeout);
        timeout = setTimeout(resolve, HEARTBEAT_TIMEOUT_MS);
      };
      restartTimeout();
      source.onopen = () => {
        isListening = true;
      };
      source.onmessage = ({ data }) => {
        restartTimeout();
        const news = JSON.parse(data) as Changes;
        receive(news);
        broadcast(news);
      };
      source.addEventListener('alive', () => {
        restartTimeout();
        completeUntil = Date.now();
      });
      source.addEventListener('over', () => {
        window.dispatchEvent(new Event(SIGNED_OUT));
        resolve();
      });
      source.onerror = () => {
        // Closed at once: a response other than a stream, because the session may have ended.
        if (source.readyState === EventSource.CLOSED) window.dispatchEvent(new Event(FORBIDDEN));
        else reportNoResponse();
        resolve();
      };
      signal.addEventListener('abort', () => resolve(), { once: true });
    }).finally(() => {
      clearTimeout(timeout);
      source.close();
    });
  }

  async function keepListening(): Promise<void> {
    let wait = MIN_WAIT_MS;
    while (!signal.aborted) {
      isListening = false;
      await listen();
      if (signal.aborted) return;
      if (isListening) wait = MIN_WAIT_MS;
      // The connection may have been dead for a while before that was detected.
      if (isListening) completeUntil = Math.min(completeUntil, Date.now() - HEARTBEAT_MS);
      await pause(wait * (0.5 + Math.random()), signal);
      if (!navigator.onLine) await untilOnline(signal);
      wait = Math.min(2 * wait, MAX_WAIT_MS);
    }
  }

  // Without the Web Locks API (insecure context) each tab listens on its own.
  if (navigator.locks) navigator.locks.request(`carelane-live/${owner}`, { signal }, keepListening).catch(() => {});
  else void keepListening();

  return () => {
    stopping.abort();
    channel.close();
    batch.stop();
  };
}

/** Ends early when the connection is back, or the session. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      window.removeEventListener(SIGNED_IN_AGAIN, done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener('online', done);
    window.addEventListener(SIGNED_IN_AGAIN, done);
    signal.addEventListener('abort', done, { once: true });
  });
}

const untilOnline = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => resolve();
    window.addEventListener('online', done, { once: true, signal });
    signal.addEventListener('abort', done, { once: true });
  });
