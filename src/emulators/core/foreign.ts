import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

type Head = Pick<IncomingMessage, 'method' | 'headers'>;

/** Asked under a name that some site gives to this machine (DNS rebinding): its pages would pass for the emulator's own. */
export function isRenamed({ headers: { host = '' } }: Head): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return name !== 'localhost' && isIP(name) === 0;
}

/**
 * Asked by a page of another origin, which a browser says in `Origin` or else in `Sec-Fetch-Site` (Fetch Metadata §2.2):
 * whatever site somebody visits could otherwise read what is kept here, or change it. A link that is followed to a page
 * of the emulator's is no such request.
 */
export function isFromElsewhere({ method, headers }: Head): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) return origin !== `http://${host}`;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return method !== 'GET' || headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}
