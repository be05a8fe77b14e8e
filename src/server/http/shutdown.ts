import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../core/context.ts';

/** The time for work in progress to end after the server stops accepting requests. */
const TIMEOUT_MS = 8_000;
const POLL_MS = 50;

type Running = { server: Server; services: Services; stopWorker: () => Promise<void> };

/**
 * Creates a graceful shutdown. First the health endpoint returns 503 while requests are still accepted, because a load
 * balancer takes a moment to notice; each response closes its connection, so that clients reconnect to another process.
 * Then no new requests are accepted, work in progress ends, and the resources are released. No job is taken from the
 * start.
 */
export function createShutdown({ server, services, stopWorker }: Running) {
  let stopping: Promise<void> | null = null;

  async function shutDown(): Promise<void> {
    server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
    services.events.endAll();
    const jobs = stopWorker();
    await pause(services.config.drainMs);
    await pause(POLL_MS); // a stalled process first reads the requests that have already arrived
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // A connection whose request began before the shutdown stays open after its response.
    const idleTimer = setInterval(() => server.closeIdleConnections(), POLL_MS);
    await Promise.all([jobs, closed]);
    clearInterval(idleTimer);
    await services.close();
  }

  return {
    /** Whether requests are accepted. */
    isOpen: () => stopping === null,
    /** Resolves when all work has ended, or after a timeout. */
    stop(): Promise<void> {
      const timeout = () =>
        pause(services.config.drainMs + TIMEOUT_MS, undefined, { ref: false }).then(() =>
          services.log.warn('stopped before everything had ended; its jobs run again elsewhere'),
        );
      stopping ??= Promise.race([shutDown(), timeout()]);
      return stopping;
    },
  };
}
