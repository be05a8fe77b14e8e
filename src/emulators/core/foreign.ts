import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

type Head = Pick<IncomingMessage, 'method' | 'headers'>;

/**
 * Detects DNS rebinding: the `Host` is a name that another site points at this
 * machine, so its pages would appear to be same-origin with the emulator.
 */
export function isRenamed({ headers: { host = '' } }: Head): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return name !== 'localhost' && isIP(name) === 0;
}

/**
 * Detects a request from a page of another origin, by `Origin` or else by `Sec-Fetch-Site` (Fetch Metadata
 * §2.2). Such a page could read or change the emulator's state. A top-level navigation by link is allowed.
 */
export function isFromElsewhere({ method, headers }: Head): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) return origin !== `http://${host}`;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return method !== 'GET' || headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}
