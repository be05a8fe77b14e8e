import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Services } from '#server/core/context.ts';
import { createFront } from '#server/http/front.ts';

export { freePort } from '../../launcher/free-port.mjs';

/** Where Next would answer. */
const noPage = async (_request: unknown, response: ServerResponse) => void response.writeHead(404).end();

/** The server of one process on a port, without Next: what the REST suites talk to. Choose the port first, so that PUBLIC_URL can name it. */
export async function serveDoors(
  services: Services,
  port = 0,
  isOpen?: () => boolean,
): Promise<{ url: string; server: Server; stop(): Promise<void> }> {
  const server = createFront(services, noPage, isOpen && { isOpen });
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
