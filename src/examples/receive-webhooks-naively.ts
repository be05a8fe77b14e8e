import { createServer, type Server } from 'node:http';

type Event = { id: string; type: string; object_id: string; sequence: number };

/**
 * An example of what not to do. It works until the network fails, as a sandbox's `chaos` shows: it does not verify
 * signatures, does not detect duplicates, assumes one order for all objects, and responds before it has processed the
 * event.
 */
export function receiveNaively(apply: (event: Event) => void): Server {
  let last = 0;
  return createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    response.writeHead(204).end(); // too early: when the code below fails, the event is not sent again
    const event = JSON.parse(Buffer.concat(parts).toString()) as Event; // accepts unsigned messages
    if (event.sequence < last) return; // may be a new event of another object
    last = event.sequence;
    apply(event); // applies duplicates again
  });
}
