import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: what is sent is looked at by name
export type ReceivedWebhook = { headers: IncomingHttpHeaders; raw: string; body: any; at: number };
type ReceiverResponse = number | ((response: ServerResponse, webhook: ReceivedWebhook) => void);

/** Starts a webhook receiver on its own port; `respond` returns the response and may be replaced at any time. */
export async function startReceiver(respond: (webhook: ReceivedWebhook) => ReceiverResponse = () => 204) {
  const received: ReceivedWebhook[] = [];
  const receiver = { url: '', received, respond, accepted: [] as ReceivedWebhook[], stop: async () => {} };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const raw = Buffer.concat(parts).toString();
    const one = { headers: request.headers, raw, body: JSON.parse(raw), at: Date.now() };
    received.push(one);
    const result = receiver.respond(one);
    if (typeof result === 'function') return result(response, one);
    if (result < 300) receiver.accepted.push(one);
    response.writeHead(result).end(result < 300 ? undefined : `answered ${result}`);
  });
  server.on('clientError', (_, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  receiver.stop = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return receiver;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
