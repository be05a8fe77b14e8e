import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createIdentityDoor } from '#server/http/identity.ts';
import { asNode } from '#server/http/wire.ts';
import type { TestDatabase } from './database.ts';
import { testServices } from './services.ts';
import { stillClock } from './still-clock.ts';

/** The auth server alone on a port of its own, which is also its PUBLIC_URL. */
export async function serveIdentity(database: TestDatabase, env: Record<string, string> = {}) {
  const server: Server = createServer((req, res) => door(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const services = testServices(database, { PUBLIC_URL: url, ...env }, { clock: stillClock() });
  const door = asNode(createIdentityDoor(services), services.config);
  return {
    url,
    services,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await services.database.close();
    },
  };
}
