import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Services } from '#server/core/context.ts';
import { BodyTooLarge, type Handler } from '#server/http/handler.ts';
import { createHttpServer } from '#server/http/server.ts';

export { freePort } from '../../launcher/free-port.mjs';

/** Stands in for Next. */
const noPage = async (_request: unknown, response: ServerResponse) => void response.writeHead(404).end();

/** Serves one process's API without Next, for the REST tests. Choose the port first if PUBLIC_URL has to name it. */
export async function serveHandlers(
  services: Services,
  port = 0,
  isOpen?: () => boolean,
): Promise<{ url: string; server: Server; stop(): Promise<void> }> {
  const server = createHttpServer(services, noPage, isOpen && { isOpen });
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

/** Calls a handler without a server. */
export const asFetch =
  (handler: Handler) =>
  async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    const { status, headers, body } = await handler({
      method: request.method,
      path: pathname,
      query: searchParams,
      header: (name) => request.headers.get(name),
      async body(limit) {
        const bytes = new Uint8Array(await request.arrayBuffer());
        if (bytes.length > limit) throw new BodyTooLarge();
        return bytes;
      },
      ip: 'unknown',
    });
    const pairs = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    );
    return new Response(body, { status, headers: pairs });
  };
