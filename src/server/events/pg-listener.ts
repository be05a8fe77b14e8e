import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '#server/core/log.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_MS = 1_000;
/** Interval of the check that detects a dead connection. */
const CHECK_MS = 15_000;

type Options = { url: string; log: Logger };
/** A listener for one channel. */
type Listener = {
  channel: string;
  onNotification: (payload: string) => void;
  /** Called when listening starts: later notifications are not missed; earlier ones may have been. */
  onOpen: () => void;
};

export type PgListener = ReturnType<typeof createPgListener>;

/**
 * The connection on which a process receives NOTIFY messages of all processes. Opened on first use, and reopened when
 * it breaks.
 */
export function createPgListener({ url, log }: Options) {
  const listeners: Listener[] = [];
  const ending = new AbortController();
  let isListening = false;
  let loop: Promise<void> | null = null;
  let first: Promise<void> | null = null;

  async function listen(client: pg.Client, onListening: () => void): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      client.once('end', resolve);
      ending.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', ({ channel, payload = '' }) => {
      for (const listener of listeners) if (listener.channel === channel) listener.onNotification(payload);
    });
    await client.connect();
    const channels = listeners.map(({ channel }) => `; listen ${channel}`).join('');
    await client.query(`set idle_session_timeout = 0${channels}`);
    isListening = true;
    for (const { onOpen } of listeners) onOpen();
    onListening();
    const check = setInterval(() => client.query('select 1').catch(() => client.end().catch(() => {})), CHECK_MS);
    await ended;
    clearInterval(check);
  }

  async function keepListening(onAttempt: () => void): Promise<void> {
    while (!ending.signal.aborted) {
      const client = new pg.Client({
        connectionString: url,
        application_name: 'carelane ear',
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        query_timeout: CONNECT_TIMEOUT_MS,
        keepAlive: true,
      });
      client.on('error', () => {}); // the `end` event reports it too
      await listen(client, onAttempt).catch((error: Error) =>
        log.warn({ err: error.message }, 'the event listener could not connect; polling for events instead'),
      );
      onAttempt();
      isListening = false;
      await client.end().catch(() => {});
      await pause(RECONNECT_MS, undefined, { signal: ending.signal, ref: false }).catch(() => {});
    }
  }

  return {
    /** Must be called before `open`. */
    addListener(listener: Listener): void {
      listeners.push(listener);
    },
    isListening: () => isListening,
    /** Resolves when it listens, or when the first attempt has failed. */
    open(): Promise<void> {
      first ??= new Promise((resolve) => {
        loop = keepListening(resolve);
      });
      return first;
    },
    async close(): Promise<void> {
      ending.abort();
      await loop;
    },
  };
}
