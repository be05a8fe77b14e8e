import type { IncomingMessage } from 'node:http';
import { decodeForm, FormError } from './form.ts';
import type { EmulatorRequest } from './route.ts';

const MAX_BODY_BYTES = 2 * 1024 * 1024;

type Read = { ok: true; value: EmulatorRequest } | { ok: false; message: string };

/** Reads the whole request. Not ok when the body is too large or does not match its content type. */
export async function readRequest(incoming: IncomingMessage, gone: AbortSignal): Promise<Read> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return { ok: false, message: 'The body is too large' };
    chunks.push(chunk);
  }
  const rawBody = Buffer.concat(chunks);
  const [path = '/', query = ''] = splitOnce(incoming.url ?? '/', '?');
  try {
    const value = {
      method: incoming.method ?? 'GET',
      path,
      params: {},
      query: decodeForm(query),
      headers: incoming.headers,
      rawBody,
      body: parseBody(rawBody.toString('utf8'), incoming.headers['content-type'] ?? ''),
      ip: incoming.socket.remoteAddress ?? '',
      gone,
    };
    return { ok: true, value };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof FormError) return { ok: false, message: error.message };
    throw error;
  }
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function parseBody(text: string, contentType: string): unknown {
  if (text === '') return {};
  return contentType.includes('json') ? JSON.parse(text) : decodeForm(text);
}
