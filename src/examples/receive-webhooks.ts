import { createServer, type Server } from 'node:http';
import { Webhook } from 'standardwebhooks';

type Event = { id: string; type: string; object_id: string; sequence: number; missed_sequence: number | null };

/**
 * Receives Carelane's webhooks and applies each event once, in order per object, despite network faults. An error of
 * `apply` responds with 500, so that the event is sent again and later events of the object wait. `seen` is a table of
 * your database, written in the same transaction as the work of `apply`.
 */
export function receiveWebhooks(secret: string, seen: Set<string>, apply: (event: Event) => void): Server {
  const webhook = new Webhook(secret);
  return createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    try {
      // Verifies the raw bytes: parsed and serialised JSON has another signature.
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
