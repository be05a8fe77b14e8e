import type { IncomingMessage } from 'node:http';

const BODY_LIMIT_BYTES = 1024 * 1024;
const PAGE_METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

type Head = Pick<IncomingMessage, 'method' | 'headers'>;

/** The path and query of a request's target, which may come as a whole address too (RFC 9112 §3.2.2). */
export function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * What Next would answer with a 500, or read whole into memory: the status to refuse such a request for a page with, or
 * null. A body has to say its length, which Node then holds it to.
 */
export function pageFault({ method = 'GET', headers }: Head, path: string): number | null {
  if (!PAGE_METHODS.has(method)) return 405;
  if (headers['transfer-encoding'] !== undefined) return 411;
  if (Number(headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) return 413;
  if (!path.startsWith('/')) return 400;
  try {
    decodeURIComponent(path);
    return null;
  } catch {
    return 400;
  }
}
