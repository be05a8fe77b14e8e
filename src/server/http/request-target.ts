import type { IncomingMessage } from 'node:http';

const BODY_LIMIT_BYTES = 1024 * 1024;
const PAGE_METHODS = new Set(['GET', 'HEAD']);
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const WHOLE_ADDRESS = /^https?:\/\/[^/?#]*/i;

type Head = Pick<IncomingMessage, 'method' | 'headers'>;

/** The path and query of a request's target, which may come as a whole address too (RFC 9112 §3.2.2). */
export function originForm(target: string): string {
  const rest = target.replace(WHOLE_ADDRESS, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * 400 where two who read the request, a proxy and we, could take it for two hosts': several Host headers, one that is no
 * host (RFC 9112 §3.2), or a whole address as the target that names another one. Otherwise null.
 */
export function hostFault({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>, target: string): 400 | null {
  const hosts = headersDistinct.host ?? [];
  const [host] = hosts;
  if (hosts.length > 1 || (host !== undefined && !HOST.test(host))) return 400;
  const address = WHOLE_ADDRESS.exec(target)?.[0];
  if (address === undefined || host === undefined) return null;
  const authority = address.slice(address.indexOf('//') + 2);
  return authority.toLowerCase() === host.toLowerCase() ? null : 400;
}

/**
 * What Next would answer with a 500, or read whole into memory: the status to refuse such a request for a page with, or
 * null. A body has to say its length, which Node then holds it to.
 */
export function pageFault(
  { method = 'GET', headers }: Head,
  path: string,
  { development = false }: { development?: boolean } = {},
): number | null {
  // Nothing is sent to pages; the tools of Next's development server are.
  if (!PAGE_METHODS.has(method) && !development) return 405;
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
