import { createServer, type Server } from 'node:http';

type Event = { id: string; type: string; object_id: string; sequence: number };

/**
 * What not to do. This works on a good day, and a sandbox's chaos shows what is wrong with it: it believes whoever sends,
 * takes every message for news, thinks that all objects share one order, and says yes before it has done anything.
 */
export function receiveNaively(apply: (event: Event) => void): Server {
  let last = 0;
  return createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    response.writeHead(204).end(); // too early: what fails below never comes again
    const event = JSON.parse(Buffer.concat(parts).toString()) as Event; // unsigned words are taken, too
    if (event.sequence < last) return; // of another object it may well be news
    last = event.sequence;
    apply(event); // a second copy is applied a second time
  });
}
