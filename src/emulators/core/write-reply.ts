import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from './reply.ts';

const DRIP_PIECES = 20;

function encode({ status, body, headers = {} }: Reply): {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
} {
  if (body === undefined) return { status, headers, bytes: Buffer.alloc(0) };
  if (Buffer.isBuffer(body)) return { status, headers, bytes: body };
  if (typeof body === 'string') return { status, headers, bytes: Buffer.from(body) };
  const json = { 'content-type': 'application/json', ...headers };
  return { status, headers: json, bytes: Buffer.from(JSON.stringify(body)) };
}

export function write(outgoing: ServerResponse, reply: Reply): void {
  const { status, headers, bytes } = encode(reply);
  outgoing.writeHead(status, { ...headers, 'content-length': String(bytes.length) });
  outgoing.end(bytes);
}

/** Sends the correct response in small pieces over `overMs` milliseconds. */
export async function drip(outgoing: ServerResponse, reply: Reply, overMs: number): Promise<void> {
  const { status, headers, bytes } = encode(reply);
  outgoing.writeHead(status, { ...headers, 'content-length': String(bytes.length) });
  const piece = Math.max(1, Math.ceil(bytes.length / DRIP_PIECES));
  for (let at = 0; at < bytes.length && !outgoing.destroyed; at += piece) {
    outgoing.write(bytes.subarray(at, at + piece));
    await sleep(overMs / DRIP_PIECES);
  }
  outgoing.end();
}

/** Sends the full `content-length` and then closes the connection halfway through the body. */
export function truncate(outgoing: ServerResponse, reply: Reply): void {
  const { status, headers, bytes } = encode(reply);
  outgoing.writeHead(status, { ...headers, 'content-length': String(bytes.length) });
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => outgoing.destroy());
}
