import type { LiveChange } from '#contract/event-types.ts';

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
 * @param name identifies the portal by tenant and user
 * @returns a function that stops following
 */
export function followChanges(name: string, refresh: (outdated: Set<Outdated>) => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const batch = batchChanges(refresh);
  const channel = new BroadcastChannel(`carelane-live/${name}`);
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

  /** Holds one connection until it breaks; resolves with how it ended. */
  function listen(): Promise<'broken' | 'over'> {
    const age = Math.ceil((Date.now() - completeUntil) / 1000);
    const source = new EventSource(`${ADDRESS}?age=${Math.max(0, age)}`);
    let timeout: ReturnType<typeof setTimeout> | undefined;
    return new Promise<'broken' | 'over'>((resolve) => {
      const restartTimeout = () => {
        clearTimeout(timeout);
        timeout = setTimeout(() => resolve('broken'), HEARTBEAT_TIMEOUT_MS);
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
      source.addEventListener('over', () => resolve('over'));
      source.onerror = () => resolve('broken');
      signal.addEventListener('abort', () => resolve('over'), { once: true });
    }).finally(() => {
      clearTimeout(timeout);
      source.close();
    });
  }

  async function keepListening(): Promise<void> {
    let wait = MIN_WAIT_MS;
    while (!signal.aborted) {
      isListening = false;
      if ((await listen()) === 'over') return;
      if (isListening) wait = MIN_WAIT_MS;
      // The connection may have been dead for a while before that was detected.
      if (isListening) completeUntil = Math.min(completeUntil, Date.now() - HEARTBEAT_MS);
      await pause(wait * (0.5 + Math.random()), signal);
      if (!navigator.onLine) await untilOnline(signal);
      wait = Math.min(2 * wait, MAX_WAIT_MS);
    }
  }

  // Without the Web Locks API (insecure context) each tab listens on its own.
  if (navigator.locks) navigator.locks.request(`carelane-live/${name}`, { signal }, keepListening).catch(() => {});
  else void keepListening();

  return () => {
    stopping.abort();
    channel.close();
    batch.stop();
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

const untilOnline = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => resolve();
    window.addEventListener('online', done, { once: true, signal });
    signal.addEventListener('abort', done, { once: true });
  });
