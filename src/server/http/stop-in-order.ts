import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../core/context.ts';

/** What is begun gets this long to end once no more comes. */
const PATIENCE_MS = 8_000;
const LOOK_AGAIN_MS = 50;

type Running = { server: Server; services: Services; stopWorker: () => Promise<void> };

/**
 * How a process ends without failing anybody. First its health door says 503, while requests are still taken, for a
 * load balancer takes a moment to see it; each answer asks for a new connection, which finds another process. Then
 * nothing new is taken, what was begun ends, and last all that is held is let go. Jobs stop being taken at once.
 */
export function createStop({ server, services, stopWorker }: Running) {
  let stopping: Promise<void> | null = null;

  async function inOrder(): Promise<void> {
    server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
    services.events.letGo();
    const jobs = stopWorker();
    await pause(services.config.drainMs);
    await pause(LOOK_AGAIN_MS); // a process that was held up reads first what has arrived meanwhile
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // A connection whose request began before all this stays open after its answer.
    const closing = setInterval(() => server.closeIdleConnections(), LOOK_AGAIN_MS);
    await Promise.all([jobs, closed]);
    clearInterval(closing);
    await services.close();
  }

  return {
    /** Whether requests are welcome. */
    isOpen: () => stopping === null,
    /** Resolves when all has ended, or when it has taken too long. */
    stop(): Promise<void> {
      const tooLong = () =>
        pause(services.config.drainMs + PATIENCE_MS, undefined, { ref: false }).then(() =>
          services.log.warn('stopped before everything had ended; its jobs run again elsewhere'),
        );
      stopping ??= Promise.race([inOrder(), tooLong()]);
      return stopping;
    },
  };
}
