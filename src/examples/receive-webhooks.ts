import { createServer, type Server } from 'node:http';
import { Webhook } from 'standardwebhooks';

type Event = { id: string; type: string; object_id: string; sequence: number; missed_sequence: number | null };

/**
 * Takes Carelane's webhooks: whatever the network does to them, each event is applied once, those of one object in their
 * order. An error of `apply` answers 500, so that the event comes again, and what happened later to the same object waits.
 * `seen` is a table of your database, written in the transaction in which `apply` does its work.
 */
export function receiveWebhooks(secret: string, seen: Set<string>, apply: (event: Event) => void): Server {
  const webhook = new Webhook(secret);
  return createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    try {
      // Over the bytes as they came: JSON that was read and written again has another signature.
      const headers = request.headers as Record<string, string>;
      const event = webhook.verify(Buffer.concat(parts).toString(), headers) as Event;
      if (!seen.has(event.id)) {
        apply(event);
        seen.add(event.id);
      }
      response.writeHead(204).end();
    } catch (error) {
      const isForged = error instanceof Error && error.name === 'WebhookVerificationError';
      response.writeHead(isForged ? 401 : 500).end();
    }
  });
}
