import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedRequest = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
/** `lost` receives the request and closes the connection without a response. */
export type Reply = { status?: number; body?: unknown; headers?: Record<string, string> } | 'lost';

/** A fake API that sends the given replies in order, and repeats the last one. */
export async function startFakeApi() {
  const requests: ReceivedRequest[] = [];
  const replies: Reply[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    requests.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? {};
    if (reply === 'lost') return request.socket.destroy();
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    /** Sets the replies from now on. */
    respondWith(...next: Reply[]) {
      replies.splice(0, replies.length, ...next);
      requests.length = 0;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type FakeApi = Awaited<ReturnType<typeof startFakeApi>>;

export const errorReply = (
  status: number,
  code: string,
  overrides: object = {},
  headers: Record<string, string> = {},
): Reply => ({
  status,
  headers,
  body: {
    errors: [{ status: String(status), code, title: code, detail: `It is ${code}.`, ...overrides }],
    request_id: '01936f4b-82d7-7c19-a3e5-6b0f94d2c817',
  },
});
