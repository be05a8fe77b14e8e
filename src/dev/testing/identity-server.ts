import type { TestDatabase } from './database.ts';
import { fixedClock } from './fixed-clock.ts';
import { freePort, serveHandlers } from './http-server.ts';
import { testServices } from './services.ts';

/** Serves the identity endpoints on a port that is also in PUBLIC_URL. */
export async function serveIdentity(database: TestDatabase, env: Record<string, string> = {}) {
  const port = await freePort();
  const services = testServices(database, { PUBLIC_URL: `http://127.0.0.1:${port}`, ...env }, { clock: fixedClock() });
  const { url, stop } = await serveHandlers(services, port);
  return {
    url,
    services,
    async stop() {
      await stop();
      await services.close();
    },
  };
}
