import type { IncomingMessage } from 'node:http';

const BODY_LIMIT_BYTES = 1024 * 1024;
const PAGE_METHODS = new Set(['GET', 'HEAD']);
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const WHOLE_ADDRESS = /^https?:\/\/[^/?#]*/i;

type Head = Pick<IncomingMessage, 'method' | 'headers'>;

/** Returns the path and query of a request target, which may also be an absolute URL (RFC 9112 §3.2.2). */
export function originForm(target: string): string {
  const rest = target.replace(WHOLE_ADDRESS, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Returns 400 if a proxy and this server could see two different hosts: several Host headers, an invalid host (RFC 9112
 * §3.2), or an absolute target with another host. Otherwise null.
 */
export function hostErrorStatus(
  { headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>,
  target: string,
): 400 | null {
  const hosts = headersDistinct.host ?? [];
  const [host] = hosts;
  if (hosts.length > 1 || (host !== undefined && !HOST.test(host))) return 400;
  const address = WHOLE_ADDRESS.exec(target)?.[0];
  if (address === undefined || host === undefined) return null;
  const authority = address.slice(address.indexOf('//') + 2);
  return authority.toLowerCase() === host.toLowerCase() ? null : 400;
}

/**
 * Returns the status to reject a page request with, or null. Next would fail with 500 on such a request, or read its
 * body into memory. A body must declare its length, which Node then enforces.
 */
export function pageErrorStatus(
  { method = 'GET', headers }: Head,
  path: string,
  { development = false }: { development?: boolean } = {},
): number | null {
  // Pages take no body; the tools of Next's development server do.
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
