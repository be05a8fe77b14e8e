import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Services } from '#server/core/context.ts';
import { createHealthDoor } from '#server/http/health.ts';
import { createIdentityDoor } from '#server/http/identity.ts';
import { createLinkDoor } from '#server/http/links.ts';
import { createRestDoor } from '#server/http/rest.ts';
import { createWebhookDoor } from '#server/http/webhooks.ts';
import { asNode } from '#server/http/wire.ts';

/** The doors of one process on a port, without Next: what the REST suites talk to. Choose the port first, so that PUBLIC_URL can name it. */
export async function serveDoors(
  services: Services,
  port = 0,
  isOpen?: () => boolean,
): Promise<{ url: string; server: Server; stop(): Promise<void> }> {
  const rest = asNode(createRestDoor(services), services.config);
  const identity = asNode(createIdentityDoor(services), services.config);
  const webhooks = asNode(createWebhookDoor(services), services.config);
  const links = asNode(createLinkDoor(services), services.config);
  const health = asNode(createHealthDoor(services, isOpen), services.config);
  const server = createServer((req, res) => {
    const path = req.url ?? '/';
    if (path === '/api/health') return health(req, res);
    if (path.startsWith('/api/v1/')) return rest(req, res);
    if (path.startsWith('/api/webhooks/')) return webhooks(req, res);
    if (path.startsWith('/api/links/')) return links(req, res);
    return identity(req, res);
  });
  // As the real process has it; a client must not reuse a connection that is just being closed.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
